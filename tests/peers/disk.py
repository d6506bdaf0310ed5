"""Prints what writing 4 KB and waiting for the disk takes, in microseconds. Usage: disk.py FOLDER."""

import os
import statistics
import sys
import tempfile
import time

times = []
with tempfile.TemporaryFile(dir=sys.argv[1]) as file:
    for _ in range(200):
        before = time.perf_counter()
        os.write(file.fileno(), b"x" * 4096)
        os.fdatasync(file.fileno())
        times.append(time.perf_counter() - before)
print(round(statistics.median(times) * 1e6))
