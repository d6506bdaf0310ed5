"""Runs a four-stage loop under LangGraph with its SQLite checkpointer and prints what a step costs.

Usage: four_stages.py FOLDER. One JSON object on stdout: for a state that keeps all records, as the
history of a loop does, and for one that keeps the last record alone.
"""

import json
import operator
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

STEPS = 1_000
RECORD = "x" * 500
STAGES = ["plan", "decide", "execute", "evaluate"]


class Whole(TypedDict):
    records: Annotated[list[str], operator.add]


class Latest(TypedDict):
    records: list[str]


def loop(state, saver):
    graph = StateGraph(state)
    for stage in STAGES:
        graph.add_node(stage, lambda _: {"records": [RECORD]})
    graph.add_edge(START, STAGES[0])
    for stage, following in zip(STAGES, STAGES[1:] + STAGES[:1]):
        graph.add_edge(stage, following)
    return graph.compile(checkpointer=saver)


def cost(state, folder):
    with tempfile.TemporaryDirectory(dir=folder) as home:
        # FULL is what Python's SQLite has by itself; said here because it is what is compared.
        connection = sqlite3.connect(os.path.join(home, "checkpoints.db"), check_same_thread=False)
        connection.execute("PRAGMA synchronous = FULL")
        config = {"configurable": {"thread_id": "peer"}, "recursion_limit": STEPS + 10}
        steps = loop(state, SqliteSaver(connection)).stream(
            {"records": []}, config, stream_mode="updates", durability="sync"
        )
        times, before = [], time.perf_counter()
        for _ in steps:
            now = time.perf_counter()
            times.append(now - before)
            before = now
            if len(times) == STEPS:
                break
        size = sum(os.path.getsize(os.path.join(home, name)) for name in os.listdir(home))
        steps.close()
        connection.close()
    return {
        "early_us": statistics.median(times[0:19]) * 1e6,
        "late_us": statistics.median(times[-10:]) * 1e6,
        "mean_us": statistics.fmean(times) * 1e6,
        "bytes_per_step": size // STEPS,
    }


if __name__ == "__main__":
    print(json.dumps({"whole": cost(Whole, sys.argv[1]), "latest": cost(Latest, sys.argv[1])}))
