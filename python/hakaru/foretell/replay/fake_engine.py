#!/usr/bin/env python3
"""Stands in for ``hakaru_replay`` in tests: prints the result of a closed form in the real tool's format, or fails as it does.

A schedule is taken as: every rank computes its work, then does ``messages`` messages of ``bytes`` to a rank as far away as there is.
Collectives by themselves, each in a phase named by its bytes, take no time.
"""

import json
import sys
from pathlib import Path
from typing import NoReturn

RANKS_OF_A_TRACE = 4


class Failure(Exception):
    """What the tool says, and its exit code."""


def fail(message: str, code: int) -> NoReturn:
    raise Failure(message, code)


def option(words: list[str], name: str) -> dict:
    return json.loads(Path(words[words.index(name) + 1]).read_text()) if name in words else {}


def seconds(level: dict, name: str) -> float:
    given = level.get(name, 0.0)
    return given if isinstance(given, int | float) else given[0]["value_s"]


def main() -> None:
    words = sys.argv[1:]
    source = Path(words[0])
    if source.suffix == ".otf2":
        if b"truncated" in source.read_bytes():
            fail("the trace of rank 1 is truncated (the archive ends within an event); trace again", 2)
        schedule = {"ranks": RANKS_OF_A_TRACE, "fake": {"seconds": 1.0, "messages": 100, "bytes": 1000}}
        if b"crowded" in source.read_bytes():
            schedule["warnings"] = ["oversubscribed: 4 ranks had 2 processors"]
    else:
        schedule = json.loads(source.read_text())
    told = schedule.get("fake", {})
    if told.get("blocked"):
        fail("the replay cannot progress (rank 0 waits in receive from 1); see what rank 1 does", 3)
    if told.get("crash"):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGSEGV)
    ranks = schedule["ranks"]
    if "--check" in words:
        print(
            json.dumps(
                {
                    "progresses": True,
                    "ranks": ranks,
                    "messages": 0,
                    "relies_on_buffering": bool(told.get("buffers")),
                    "detail": "rank 0: send to 1",
                }
            )
        )
        return
    if "--serve" not in words:
        print(json.dumps(answer(schedule, words, option(words, "--network"), option(words, "--options"))))
        return
    for line in sys.stdin:
        question = json.loads(line)
        try:
            told = answer(schedule, words, question["network"], question["options"])
        except Failure as failure:
            told = {"problem": failure.args[0], "code": failure.args[1]}
        print(json.dumps(told), flush=True)


def answer(schedule: dict, words: list[str], network: dict, options: dict) -> dict:
    told, ranks = schedule.get("fake", {}), schedule["ranks"]
    if told.get("files") and "file_system" not in network:
        fail('rank 0 uses a file (the network document has no "file_system"); give its rates', 2)
    level = list(network["levels"].values())[-1]
    factor = options.get("compute_factor", 1.0)
    computing = told.get("seconds", 0.0) * factor
    for work in schedule.get("works", []):
        rates = options.get("roofline") or fail("the schedule has work without a duration", 2)
        share = options.get("phase_factor", {}).get("stencil", 1.0)
        computing += (
            factor
            * share
            * max(work["flops"] / rates["flop_rate"], work["bytes"] / rates["memory_bandwidth"])
        )
    messages, size = told.get("messages", 0), told.get("bytes", 0)
    overhead = messages * (seconds(level, "send_overhead") + seconds(level, "receive_overhead"))
    waiting = messages * (level["latency_s"] + size * seconds(level, "gap_per_byte"))
    if "--sends" in words:
        waiting *= {"late": 0.5, "exchange": 0.75}[words[words.index("--waits") + 1]]
    elif told.get("stuck"):
        fail("the program cannot progress (2 of 2 ranks are blocked); see what each waits for", 2)
    noise = options.get("noise", {}).get("mean_s", 0.0)
    total = computing + overhead + waiting + noise
    found = result(ranks, total, computing + noise, overhead, waiting, messages, messages * size)
    if "--sends" in words:
        found["changed_sends"] = messages
    found["phases"] += [
        {**phase, "time_s": spread(0.0)} for phase in schedule.get("phases", []) if phase["name"].isdigit()
    ]
    if warnings := schedule.get("warnings"):
        found["warnings"] = warnings
    return found


def spread(value: float) -> dict:
    return {"minimum": value, "mean": value, "maximum": value}


def result(
    ranks: int, total: float, computing: float, overhead: float, waiting: float, messages: int, size: int
) -> dict:
    return {
        "makespan_s": total,
        "engine": "fake",
        "program": "",
        "ranks": ranks,
        "messages": messages,
        "message_bytes": size,
        "breakdown": {
            "finish": spread(total),
            "compute": spread(computing),
            "overhead": spread(overhead),
            "runtime": spread(0.0),
            "waiting": spread(waiting),
            "file": spread(0.0),
        },
        "phases": [
            {"name": "stencil", "kind": "compute", "time_s": spread(computing)},
            {"name": "exchange", "kind": "communicate", "time_s": spread(overhead + waiting)},
        ],
        "critical_path": {
            "kinds": {"compute": computing, "latency": waiting},
            "phases": {},
            "messages": messages,
        },
        "spent": {"read_s": 0.0, "replay_s": 0.0, "peak_bytes": 0.0},
    }


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(f"hakaru_replay: {failure.args[0]}", file=sys.stderr)
        sys.exit(failure.args[1])
