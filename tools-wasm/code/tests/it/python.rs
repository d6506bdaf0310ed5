use crate::ground::{analyze, head, imports, outline};
use ringfence_code::{Analysis, Language};

const SOURCE: &str = r#"#!/usr/bin/env python3
"""The module.

More about it.
"""
from __future__ import annotations

import os, sys as system
import xml.etree.ElementTree as ET
from . import models
from ..core.base import (
    Base,  # why
    helper as help_,
)
from typing import *
if True:
    import json

LIMIT = 3  # not a comment line


@decorator
@other(
    x=1,
)
class Server(Base, metaclass=Meta):
    """Serves things. """

    class Config:
        frozen = True

    def __init__(self, port: int = 80) -> None:
        # set up
        self.port = port

    @property
    async def address(self):
        def inner(x):
            return x
        return inner(1)

    def _private(self): pass


def main(
    argv: list[str],
    *,
    verbose: bool = False,
) -> int:
    '''Runs it.'''
    plugin = importlib.import_module("plugins.one")
    return 0


async def fetch(): ...


class _Hidden[T]:
    def run(self): ...


type Alias = list[int]
"#;

fn source() -> Analysis {
    analyze(Language::Python, SOURCE)
}

#[test]
fn classes_methods_and_nested_functions_have_their_owners() {
    assert_eq!(
        outline(&source()),
        [
            "constant LIMIT+ 19-19",
            "class Server+ 26-42",
            "class Server.Config+ 29-30",
            "method Server.__init__+ 32-34",
            "method Server.address+ 37-40",
            "function Server.address.inner 38-39",
            "method Server._private 42-42",
            "function main+ 45-52",
            "function fetch+ 55-55",
            "class _Hidden 58-59",
            "method _Hidden.run+ 59-59",
            "typealias Alias+ 62-62",
        ]
    );
}

#[test]
fn heads_are_one_line_and_docs_are_docstrings() {
    let analysis = source();
    assert_eq!(head(&analysis, "Server"), ("class Server(Base, metaclass=Meta)", Some("Serves things.")));
    assert_eq!(
        head(&analysis, "main"),
        ("def main( argv: list[str], *, verbose: bool = False, ) -> int", Some("Runs it."))
    );
    assert_eq!(head(&analysis, "address"), ("async def address(self)", None));
}

#[test]
fn imports_of_every_form_are_found() {
    assert_eq!(
        imports(&source()),
        [
            "6 import __future__: annotations",
            "8 import os",
            "8 import sys",
            "9 import xml.etree.ElementTree",
            "10 import .: models",
            "11 import ..core.base: Base, helper as help_",
            "15 import typing: *",
            "17 import json",
            "51 dynamic plugins.one",
        ]
    );
}

#[test]
fn docstrings_count_as_comments() {
    let counts = source().counts;
    assert_eq!((counts.functions, counts.methods, counts.classes), (3, 4, 3));
    assert_eq!(counts.lines as usize, SOURCE.lines().count());
    assert_eq!(counts.code_lines + counts.comment_lines + counts.blank_lines, counts.lines);
    // The shebang, four lines of the module's, one each of Server's and main's, one comment.
    assert_eq!(counts.comment_lines, 1 + 3 + 1 + 1 + 1);
    assert_eq!(source().syntax_errors, 0);
}
