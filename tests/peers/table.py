"""Prints two measurements side by side. Usage: table.py OURS.json THEIRS.json."""

import json
import sys

ours, theirs = (json.load(open(path)) for path in sys.argv[1:3])
full, whole = ours["full"], theirs["whole"]
rows = [
    ("ringfence, fsync each step", full),
    ("ringfence, no fsync", ours["relaxed"]),
    ("LangGraph, fsync, all records in the state", whole),
    ("LangGraph, fsync, the last record alone", theirs["latest"]),
]

print("| 1,000 steps of 500 bytes | µs at step 10 | µs at step 1,000 | ratio | µs, mean | bytes a step |")
print("|---|---:|---:|---:|---:|---:|")
for name, row in rows:
    early, late = row["early_us"], row["late_us"]
    print(
        f"| {name} | {early:,.0f} | {late:,.0f} | {late / early:.2f} "
        f"| {row['mean_us']:,.0f} | {row['bytes_per_step']:,} |"
    )

time, size = (full[key] / whole[key] for key in ("mean_us", "bytes_per_step"))
print()
for kept, text in [
    (time <= 1 / 3, f"a third of the time of a step, fsync on both sides: {time:.1%}"),
    (size <= 1 / 100, f"a hundredth of the bytes of a step: {size:.2%}"),
]:
    print(f"{'kept' if kept else 'BROKEN'}: {text}")
