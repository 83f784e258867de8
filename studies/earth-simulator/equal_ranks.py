"""A schedule in which all ranks do what rank 0 does, with times of our own for its computing.

Programs whose ranks have equal work, and whose peers are the same at every rank but for a shift, need one stream for all: a schedule of 512
ranks that each put to 511 others is read 512 times as fast.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hakaru.base.errors import UserError
from hakaru.facts.schedules.schedule import operations_of, walk

STREAMS = '"streams":'
PIECE_CHARACTERS = 1 << 20


def head(path: Path) -> dict[str, Any]:
    """The schedule with the stream of rank 0 only, without reading the others. Raises UserError when the file is no such schedule."""
    with path.open() as file:
        text, first, at = "", None, -1
        while first is None and (more := file.read(max(len(text), PIECE_CHARACTERS))):
            text += more
            at = text.find(STREAMS)
            first = _first_object(text, at)
    if first is None:
        raise UserError(f"{path} is no schedule", "it has no streams", "write it again")
    document = json.loads(text[:at] + '"streams": []}')
    if first["ranks"][0][0] != 0:
        raise UserError(
            f"{path} has no rank 0 in front", "streams come in the order of ranks", "write it again"
        )
    return document | {"streams": [first]}


def _first_object(text: str, at: int) -> dict[str, Any] | None:
    """The object that begins behind ``at``, or None when it does not end in the text."""
    start = text.find("{", at)
    if at < 0 or start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except json.JSONDecodeError:
        return None


def first_period(document: dict[str, Any], phase: str) -> tuple[dict[str, Any], int]:
    """The document with the first of ``times`` equal sequences of a phase's operations, and ``times``. Where all ranks do the same and a phase
    begins and ends with a fence, the others take as long as the first."""
    operations = document["streams"][0]["operations"]
    spans = _spans(operations, phase)
    texts = [json.dumps(operations[first:end]) for first, end in spans]
    period = next(
        (size for size in range(1, len(texts) + 1) if texts == texts[:size] * (len(texts) // size)), 1
    )
    dropped = {index for first, end in spans[period:] for index in range(first, end)}
    kept = [one for index, one in enumerate(operations) if index not in dropped]
    return document | {"streams": [document["streams"][0] | {"operations": kept}]}, max(
        len(spans) // period, 1
    )


def _spans(operations: list[dict[str, Any]], phase: str) -> list[tuple[int, int]]:
    """(first, behind the last) of each time the phase is entered, marks of the phase among them."""
    begins = [k for k, one in enumerate(operations) if one["do"] == "begin" and one["phase"] == phase]
    ends = [k + 1 for k, one in enumerate(operations) if one["do"] == "end" and one["phase"] == phase]
    return list(zip(begins, ends, strict=True))


def spread(
    document: dict[str, Any],
    seconds: Callable[[str, dict[str, int]], float],
    put_scale: float = 1.0,
    start_s: float = 0.0,
) -> dict[str, Any]:
    """``seconds(phase, counts)`` is the time of one computation of a phase, where ``counts`` says how many each phase has in all; bytes
    of puts are multiplied by ``put_scale``. Before the puts of a repeated group a processor takes ``start_s`` for each time the group is
    repeated: all are started, then their data leave."""
    operations = document["streams"][0]["operations"]
    counts = _computations(operations)
    durations = {phase: seconds(phase, dict(counts)) for phase in counts}
    stream = {
        "ranks": [[0, document["ranks"] - 1, 1]],
        "operations": _rewritten(operations, [], durations, put_scale, start_s),
    }
    return document | {"works": [], "streams": [stream]}


def _computations(operations: list[dict[str, Any]]) -> Counter[str]:
    """How many each phase has."""
    counts: Counter[str] = Counter()
    open_: list[str] = []
    for one, times in walk(operations_of(operations)):
        if one.do == "begin":
            open_.append(one.phase)
        elif one.do == "end":
            open_.pop()
        elif one.do == "compute":
            counts[open_[-1]] += times
    return counts


def _follow(one: dict[str, Any], open_: list[str]) -> None:
    if one["do"] == "begin":
        open_.append(one["phase"])
    elif one["do"] == "end":
        open_.pop()


def _rewritten(
    operations: list[dict[str, Any]],
    open_: list[str],
    durations: dict[str, float],
    put_scale: float,
    start_s: float,
) -> list[dict[str, Any]]:
    result = []
    for one in operations:
        _follow(one, open_)
        if one["do"] == "repeat":
            if start_s > 0.0 and any(each["do"] == "put" for each in one["operations"]):
                result.append({"do": "compute", "seconds": one["times"] * start_s})
            one = one | {"operations": _rewritten(one["operations"], open_, durations, put_scale, start_s)}
        elif one["do"] == "compute":
            one = {"do": "compute", "seconds": durations[open_[-1]]}
        elif one["do"] == "put":
            kept = {name: value for name, value in one.items() if name != "peer"}
            one = kept | {
                "shift": one.get("shift", one.get("peer")),
                "bytes": round(one["bytes"] * put_scale),
            }
        result.append(one)
    return result
