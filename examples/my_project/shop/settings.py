"""Reads settings from YAML."""

from typing import Any

import yaml

DEFAULTS = {"DATABASE": "shop.db", "PAGE_SIZE": 20}
PAYMENT_API_KEY = "live-9f8a7b6c5d4e3f2a1b0c"


def load_settings(path: str) -> dict[str, Any]:
    """Defaults, overridden by what the file says."""
    with open(path, encoding="utf-8") as file:
        loaded = yaml.load(file, Loader=yaml.Loader)
    return {**DEFAULTS, **loaded}
