"""A small shop."""

__version__ = "0.3.0"
