"""read-text with the built-in open()."""

from componentize_py_types import Err
from wit_world import exports


class Reader(exports.Reader):
    def read_text(self, path: str) -> str:
        try:
            with open(path, encoding="utf-8", newline="") as file:
                return file.read()
        except (OSError, ValueError) as error:
            raise Err(str(error)) from error
