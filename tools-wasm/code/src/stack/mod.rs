//! `detect_stack`: what a project is built with.
