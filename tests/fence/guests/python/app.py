"""The attacks with Python's own library."""

import encodings.idna  # noqa: F401  what isn't there at build time isn't there later
import os
import socket
import sys
import time

from componentize_py_types import Err
from wit_world import exports

KEPT = ""


def told(attempt):
    try:
        return attempt()
    except (OSError, ValueError, NotImplementedError, AttributeError) as error:
        raise Err(str(error)) from error


def read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def append(path: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write("mine")


def create(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("mine")


CHANGES = {
    "create": lambda path, other: create(path),
    "append": lambda path, other: append(path),
    "truncate": lambda path, other: os.close(os.open(path, os.O_WRONLY | os.O_TRUNC)),
    "make-folder": lambda path, other: os.mkdir(path),
    "remove": lambda path, other: os.remove(path),
    "remove-folder": lambda path, other: os.rmdir(path),
    "rename": os.rename,
    "hard-link": lambda path, other: os.link(path, other),
    "soft-link": lambda path, other: os.symlink(path, other),
    "touch": lambda path, other: os.utime(path, (0, 0)),
}


class Attacks(exports.Attacks):
    def read_text(self, path: str) -> str:
        return told(lambda: read(path))

    def list_folder(self, path: str) -> list[str]:
        return told(lambda: os.listdir(path))

    def look_at(self, path: str) -> str:
        def look() -> str:
            found = os.stat(path)
            return "folder" if os.path.isdir(path) else f"file {found.st_size}"

        return told(look)

    def look_at_all(self, path: str) -> int:
        return told(lambda: sum(os.path.exists(f"{path}/{name}") for name in os.listdir(path)))

    def read_link(self, path: str) -> str:
        return told(lambda: os.readlink(path))

    def change(self, how: str, path: str, other: str) -> str:
        told(lambda: CHANGES[how](path, other))
        return how

    def steps(self, steps: list) -> list[str]:
        outcomes = []
        for step in steps:
            if step.how == "fail":
                raise Err(step.path)
            if step.how == "crash":
                raise RuntimeError(step.path)
            if step.how == "spin":
                self.spin()
            try:
                if step.how == "read":
                    outcomes.append(read(step.path))
                else:
                    CHANGES[step.how](step.path, step.other)
                    outcomes.append(step.how)
            except (OSError, NotImplementedError, AttributeError) as error:
                outcomes.append(f"error: {error}")
        return outcomes

    def write_at(self, path: str, text: str, at: int) -> str:
        def write() -> str:
            file = os.open(path, os.O_WRONLY | os.O_CREAT)
            os.lseek(file, at, os.SEEK_SET)
            os.write(file, text.encode())
            os.close(file)
            return "written"

        return told(write)

    def append_again(self, path: str, text: str, times: int) -> str:
        def write() -> str:
            with open(path, "a", encoding="utf-8", newline="") as file:
                for _ in range(times):
                    file.write(text)
                    file.flush()
            return "written"

        return told(write)

    def create_many(self, folder: str, times: int) -> list[str]:
        outcomes = set()
        for at in range(times):
            try:
                create(f"{folder}/made{at}")
                outcomes.add("made")
            except OSError as error:
                outcomes.add(f"error: {error.strerror}")
        return sorted(outcomes)

    def read_again(self, path: str, times: int) -> list[str]:
        outcomes = set()
        for _ in range(times):
            try:
                outcomes.add(read(path))
            except OSError as error:
                outcomes.add(f"error: {error}")
        return sorted(outcomes)

    def hold(self, path: str, times: int) -> int:
        return told(lambda: len([os.open(path, os.O_RDONLY) for _ in range(times)]))

    def surroundings(self) -> list[str]:
        variables = [f"{name}={value}" for name, value in os.environ.items()]
        return variables + [argument for argument in sys.argv if argument] + [f"folder {os.getcwd()}"]

    def clocks(self) -> list[str]:
        first = time.monotonic_ns()
        return [str(int(time.time())), str(time.monotonic_ns() > first).lower()]

    def remember(self, word: str) -> str:
        global KEPT
        before, KEPT = KEPT, word
        return before

    def spin(self) -> None:
        while True:
            pass

    def spin_with_calls(self) -> None:
        while True:
            os.path.exists("src/none")

    def sleep(self, millis: int) -> None:
        time.sleep(millis / 1000)

    def recurse(self, depth: int) -> int:
        sys.setrecursionlimit(1 << 30)
        return 0 if depth == 0 else 1 + self.recurse(depth - 1)

    def grow(self, mebibytes: int) -> int:
        return sum(len(block) for block in [b"\1" * (1 << 20) for _ in range(mebibytes)])

    def say(self, text: str, times: int) -> str:
        return text * times

    def fail(self, text: str, times: int) -> str:
        raise Err(text * times)

    def print(self, text: str, times: int, to_error: bool) -> None:
        out = sys.stderr if to_error else sys.stdout
        for _ in range(times):
            out.write(text)
        out.flush()

    def crash(self, text: str) -> None:
        raise RuntimeError(text)

    def leave(self, code: int) -> None:
        os._exit(code)


class Online(exports.Online):
    def dial(self, host: str, port: int) -> str:
        return told(lambda: str(socket.create_connection((host, port), 1)))

    def look_up(self, name: str) -> str:
        return told(lambda: str(socket.getaddrinfo(name, 80)))
