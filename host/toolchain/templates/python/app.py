"""The tool's functions, as wit/tool.wit declares them."""

import wit_world
from componentize_py_types import Err


class WitWorld(wit_world.WitWorld):
    def count_words(self, path: str) -> int:
        try:
            with open(path, encoding="utf-8") as file:
                return len(file.read().split())
        except (OSError, ValueError) as error:
            raise Err(f"{path}: {error}") from error
