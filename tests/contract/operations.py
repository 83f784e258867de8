"""What ranks do, operation by operation: from a schedule, from a trace, and the first difference between two of them.

An operation is a dict: kind (of a collective: its name), phase (the innermost that is open, or None), and what the kind has of peer (a
rank of all ranks), tag (of a transfer or a flag wait: the flag), bytes, size (ranks of the communicator), root, mode, sent_flag and
items of a transfer, and for a wait `of`: the operation it waits for. Begin
and end of a phase are operations too. Compute operations are left out: a trace has none. So is whether a send is persistent: recorder.c
does not tell.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hakaru.facts.records.record import WAIT as IDLE
from hakaru.facts.schedules import Schedule, Stream, walk
from hakaru.facts.schedules.schedule import members

Operations = list[dict]

REPETITION = "repetition"


def operations_of_trace(path: Path) -> list[Operations]:
    """Operations of each rank: of a folder that recorder.c has written, or of a trace that was converted to a schedule file."""
    if path.is_dir():
        files = sorted(path.glob("rank-*.jsonl"), key=lambda file: int(file.stem.split("-")[1]))
        return [normal(recorded([json.loads(line) for line in file.open()])) for file in files]
    return operations_of_schedule(json.loads(path.read_text()))


def operations_of_schedule(schedule: dict) -> list[Operations]:
    """The same with loops unfolded. Phases inside a compute phase that hold only compute are not told to tracers, so they are left out."""
    whole = Schedule.of(schedule)
    streams = {rank: stream for stream in whole.streams for rank in members(stream.ranks)}
    return [normal(list(told(scheduled(whole, rank, streams[rank]), whole))) for rank in range(whole.ranks)]


def scheduled(schedule: Schedule, rank: int, stream: Stream) -> Iterator[dict]:
    """Raw operations as recorder.c writes them, from those of a schedule file."""
    for operation, _ in walk(stream.operations, repeated=True):
        raw = {"kind": operation.do}
        if raw["kind"] not in ("begin", "end", "compute", "wait"):
            raw["size"] = schedule.group_size(operation.communicator or 0, rank)
            raw["root"] = -1 if operation.root is None else operation.root
            raw["mode"] = operation.mode or "standard"
            raw["bytes"] = operation.bytes or 0
        if raw["kind"] in ("put", "get") and operation.list is not None:
            raw["sent_flag"], raw["items"] = schedule.lists[operation.list]
        if operation.shift is not None:
            raw["peer"] = (rank + operation.shift) % schedule.ranks
        named = {key: getattr(operation, key) for key in ("peer", "tag", "request", "phase")}
        yield raw | {key: value for key, value in named.items() if value is not None}


def told(operations: Iterator[dict], schedule: Schedule) -> Iterator[dict]:
    kinds = {phase.name: phase.kind for phase in schedule.phases}
    open_phases: list[str] = []
    hidden = 0
    for operation in operations:
        if operation["kind"] == "begin":
            inner = any(kinds[name] == "compute" and name != REPETITION for name in open_phases)
            open_phases.append(operation["phase"])
            hidden += bool(hidden) or (inner and kinds[operation["phase"]] == "compute")
            if hidden:
                continue
        elif operation["kind"] == "end":
            open_phases.pop()
            if hidden:
                hidden -= 1
                continue
        elif operation["kind"] == "compute":
            continue
        yield operation


def recorded(calls: list[dict]) -> list[dict]:
    """MPI_Sendrecv posts its receive, sends, and waits for the receive; one side alone is a plain send or receive."""
    raw = []
    for call in calls:
        if call["kind"] != "send_receive":
            raw.append(call)
            continue
        sent = {"peer": call["to"], "tag": call["out_tag"], "bytes": call["out_bytes"], "size": call["size"]}
        received = {
            "peer": call["from"],
            "tag": call["in_tag"],
            "bytes": call["in_bytes"],
            "size": call["size"],
        }
        if call["to"] >= 0 and call["from"] >= 0:
            request = f"sendrecv {len(raw)}"
            raw.append({"kind": "ireceive", "request": request, **received})
            raw.append({"kind": "send", **sent})
            raw.append({"kind": "wait", "request": request})
        elif call["to"] >= 0:
            raw.append({"kind": "send", **sent})
        elif call["from"] >= 0:
            raw.append({"kind": "receive", **received})
    return raw


MESSAGES = ("send", "receive", "isend", "ireceive")
TRANSFERS = ("put", "get")
# A flag is of the rank and of no communicator.
KEYS = {"fence": ["size"], "flush": ["size"], "flag_wait": ["tag", "bytes"]} | dict.fromkeys(
    TRANSFERS, ["bytes", "size", "peer"]
)
ROOTED = ("broadcast", "reduce", "gather", "scatter")
FILES = ("file_open", "file_close", "file_read", "file_write")


def normal(raw: list[dict]) -> Operations:
    """Requests become what they stand for, and waits that follow each other are put in order: which message comes first is chance.

    Open MPI gives all sends that are complete at once the same handle, so one handle may stand for several operations."""
    operations: Operations = []
    requests: dict = defaultdict(list)
    phases: list[str] = []
    waits = 0
    for entry in raw:
        kind = entry["kind"]
        if kind == "end":
            assert phases and phases[-1] == entry["phase"], f"phase {entry['phase']} ends within {phases}"
        operation = {"kind": kind, "phase": phases[-1] if phases else None}
        if kind == "begin":
            phases.append(entry["phase"])
        if kind == "end":
            phases.pop()
        if kind in ("begin", "end"):
            operation["phase"] = entry["phase"]
        elif kind == "wait":
            operation["of"] = requests[entry["request"]].pop(0) if requests[entry["request"]] else None
        else:
            keys = KEYS.get(kind, ["bytes", "size"])
            keys = keys + (["peer", "tag"] if kind in MESSAGES else [])
            keys += ["root"] if kind in ROOTED else ["mode"] if kind in FILES else []
            operation |= {key: entry[key] for key in keys}
            if kind in TRANSFERS:
                operation |= {key: entry.get(key, 0) for key in ("tag", "sent_flag", "items")}
        if kind in ("isend", "ireceive"):
            requests[entry["request"]].append(
                tuple(operation[key] for key in ("kind", "peer", "tag", "bytes"))
            )
        waits = waits + 1 if kind == "wait" else 0
        operations.append(operation)
        if waits > 1:
            operations[-waits:] = sorted(operations[-waits:], key=lambda wait: wait["of"] or ())
    return operations


def timed_part(operations: Operations) -> Operations:
    """From the barrier before the first timed repetition to the gathering of times after the last one."""
    first = operations.index({"kind": "begin", "phase": REPETITION})
    last = len(operations) - 1 - operations[::-1].index({"kind": "end", "phase": IDLE})
    return operations[first - 1 : last + 2]


def difference(scheduled: list[Operations], traced: list[Operations]) -> str | None:
    """The first operation of the timed parts that is not the same, in words; None when there is none."""
    if len(scheduled) != len(traced):
        return f"the schedule has {len(scheduled)} ranks, the trace {len(traced)}"
    for rank, pair in enumerate(zip(scheduled, traced, strict=True)):
        ours, theirs = (timed_part(operations) for operations in pair)
        for number, (own, other) in enumerate(zip(ours, theirs, strict=False)):
            if own != other:
                return f"rank {rank}, operation {number}: scheduled {own}, traced {other}"
        if len(ours) != len(theirs):
            return f"rank {rank}: {len(ours)} operations are scheduled, {len(theirs)} traced"
    return None
