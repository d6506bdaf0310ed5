"""Counts words with nothing but Python's own library."""

import os
from collections import Counter
from stat import S_ISDIR

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.words import Counts, Frequent

LONGEST = 100
"""Words with more bytes are counted, but never among the frequent."""
MOST = 100


class Words(exports.Words):
    def word_count(self, path: str, pattern: str | None, top: int | None) -> Counts:
        counts = Counts(files=0, skipped=0, lines=0, words=0, bytes=0, top=[])
        times: Counter[bytes] = Counter()
        try:
            for file in files(path, "*" if pattern is None else pattern):
                count(file, counts, times)
        except OSError as error:
            raise Err(f"{error.filename or path}: {error.strerror or error}") from error
        except ValueError as error:
            raise Err(f"{path}: {error}") from error
        frequent = sorted(times.items(), key=lambda item: (-item[1], item[0]))
        counts.top = [
            Frequent(word.decode(), times) for word, times in frequent[: 10 if top is None else min(top, MOST)]
        ]
        return counts


def files(path: str, pattern: str):
    """The file itself, or those in the folder whose name fits."""
    if not S_ISDIR(os.stat(path).st_mode):
        yield path
        return
    pending = [path]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.is_file(follow_symlinks=False) and matches(pattern, entry.name):
                    yield entry.path


def count(path: str, counts: Counts, times: Counter[bytes]) -> None:
    with open(path, "rb") as file:
        text = file.read()
    try:
        text.decode()
    except UnicodeDecodeError:
        counts.skipped += 1
        return
    # Of bytes, these methods know ASCII alone: exactly the white space and the letters that are meant.
    words = text.split()
    counts.files += 1
    counts.bytes += len(text)
    counts.lines += text.count(b"\n") + (text != b"" and not text.endswith(b"\n"))
    counts.words += len(words)
    times.update(word.lower() for word in words if len(word) <= LONGEST)


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern of `*` and `?`, in time that both lengths multiplied bound."""
    p = n = 0
    star = None
    while n < len(name):
        if p < len(pattern) and pattern[p] == "*":
            star = (p, n)
            p += 1
        elif p < len(pattern) and pattern[p] in ("?", name[n]):
            p, n = p + 1, n + 1
        elif star is not None:
            at, start = star
            star = (at, start + 1)
            p, n = at + 1, start + 1
        else:
            return False
    return all(c == "*" for c in pattern[p:])
