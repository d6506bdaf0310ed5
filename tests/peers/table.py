"""Prints two measurements side by side. Usage: table.py OURS.json THEIRS.json."""

import json
import sys

ours, theirs = (json.load(open(path)) for path in sys.argv[1:3])
loop, whole = ours["loop"]["staged"], theirs["whole"]
rows = [
    ("ringfence, staged loop, fsync", loop),
    ("ringfence, pipeline loop, fsync", ours["loop"]["pipeline"]),
    ("ringfence, react loop, fsync", ours["loop"]["react"]),
    ("LangGraph, fsync, all records in the state", whole),
    ("LangGraph, fsync, the last record alone", theirs["latest"]),
    ("ringfence, journal alone, fsync", ours["journal"]["full"]),
    ("ringfence, journal alone, no fsync", ours["journal"]["relaxed"]),
]

print("| 1,000 steps of 500 bytes | µs at step 10 | µs at step 1,000 | ratio | µs, mean | bytes a step |")
print("|---|---:|---:|---:|---:|---:|")
for name, row in rows:
    early, late = row["early_us"], row["late_us"]
    print(
        f"| {name} | {early:,.0f} | {late:,.0f} | {late / early:.2f} "
        f"| {row['mean_us']:,.0f} | {row['bytes_per_step']:,} |"
    )

time, size = (loop[key] / whole[key] for key in ("mean_us", "bytes_per_step"))
print()
for kept, text in [
    (time <= 1 / 3, f"the staged loop takes a third of LangGraph's time, fsync on both sides: {time:.1%}"),
    (size <= 1 / 100, f"and a hundredth of its bytes: {size:.2%}"),
    (loop["late_us"] / loop["early_us"] < 1.5, "its step 1,000 takes less than 1.5 times its step 10"),
]:
    print(f"{'kept' if kept else 'BROKEN'}: {text}")
