"""An extrapolated schedule against the true one, rank by rank and operation by operation.

Two operations are equal when everything that a schedule says of them is: what, whom, how many bytes, tag, root, lengths, work, phase; of a
wait, what it waits for. The numbers of requests are names and may differ. Computing that was measured is time and no operation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from math import log2

from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.schedule import members
from hakaru.foretell.extrapolate.items import END, Op, of_rank, unfolded

# What operations are worth where none was timed: seconds a message or a level of a collective, and B/s and flop/s of one rank.
MESSAGE_S, BYTES_PER_S, FLOPS_PER_S = 1e-6, 1e10, 1e10
DIGITS = 9  # of work, which is no whole number


@dataclass
class Difference:
    """Operations of one kind in one phase that differ: how many of the truth are not there or other, with an example."""

    place: str
    count: int = 0
    weight_s: float = 0.0
    example: str = ""


@dataclass
class Comparison:
    """``operations`` of the truth, how many are ``equal``, how many the extrapolation has ``beside`` them; ``weight_s``: all are worth."""

    ranks: int
    operations: int = 0
    equal: int = 0
    beside: int = 0
    weight_s: float = 0.0
    differing: dict[str, Difference] = field(default_factory=dict)

    @property
    def carried(self) -> float:
        """Share of the time that differing operations carry."""
        lost = sum(one.weight_s for one in self.differing.values())
        return lost / self.weight_s if self.weight_s else 0.0

    @property
    def same(self) -> bool:
        return self.equal == self.operations and not self.beside


Tokens = list[tuple]


def compare(found: Schedule, truth: Schedule) -> Comparison:
    """Both of as many ranks."""
    result = Comparison(truth.ranks)
    ours, theirs = _by_rank(found), _by_rank(truth)
    seen: dict[tuple[tuple, tuple], list[tuple[int, int, int, int]]] = {}
    for rank in range(truth.ranks):
        a, b = tokens(found, ours.get(rank, ()), rank), tokens(truth, theirs.get(rank, ()), rank)
        key = (tuple(a), tuple(b))
        if key not in seen:
            seen[key] = _blocks(a, b)
        _count(result, a, b, seen[key], truth, rank)
    return result


def _by_rank(schedule: Schedule) -> dict[int, tuple]:
    return {rank: stream.operations for stream in schedule.streams for rank in members(stream.ranks)}


def tokens(schedule: Schedule, operations: Iterable, rank: int) -> Tokens:
    """What each operation says, loops unfolded."""
    items = of_rank(schedule, operations, rank)
    found, phases = [], []
    for one in unfolded(items):
        if one.key[0] in (END, "turn"):
            continue
        if one.key[0] == "begin":
            phases.append(one.key[1])
        found.append((phases[-1] if phases else "", *_token(one)))
        if one.key[0] == "end" and phases:
            phases.pop()
    return found


def _token(one: Op) -> tuple:
    if one.key[0] == "wait" and one.link is not None:
        return ("wait", *_token(one.link))
    values = tuple((name, _rounded(value)) for name, value in sorted(one.values.items()))
    return (one.key[0], one.key[1:], one.peer, values, one.lengths)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _blocks(a: Tokens, b: Tokens) -> list[tuple[int, int, int, int]]:
    """(from, to) in both where they differ."""
    first = 0
    while first < min(len(a), len(b)) and a[first] == b[first]:
        first += 1
    last = 0
    while last < min(len(a), len(b)) - first and a[-1 - last] == b[-1 - last]:
        last += 1
    inner_a, inner_b = a[first : len(a) - last], b[first : len(b) - last]
    if not inner_a or not inner_b:
        return [(first, len(a) - last, first, len(b) - last)] if inner_a or inner_b else []
    if len(inner_a) == len(inner_b):
        pairs = zip(inner_a, inner_b, strict=True)
        return [
            (first + i, first + i + 1, first + i, first + i + 1) for i, (x, y) in enumerate(pairs) if x != y
        ]
    names: dict[tuple, int] = {}
    numbers = [[names.setdefault(token, len(names)) for token in side] for side in (inner_a, inner_b)]
    matcher = SequenceMatcher(None, *numbers, autojunk=False)
    return [
        (first + i, first + j, first + k, first + m)
        for word, i, j, k, m in matcher.get_opcodes()
        if word != "equal"
    ]


def _count(
    result: Comparison, a: Tokens, b: Tokens, blocks: Sequence[tuple], truth: Schedule, rank: int
) -> None:
    result.operations += len(b)
    worth = [_worth(token, truth.ranks) for token in b]
    result.weight_s += sum(worth)
    missed = 0
    for i, j, k, m in blocks:
        missed += m - k
        result.beside += max((j - i) - (m - k), 0)
        for at in range(k, m):
            here = a[i + at - k] if i + at - k < j else None
            _note(result, b[at], here, worth[at], rank)
        for at in range(i + m - k, j):
            _note(result, None, a[at], 0.0, rank)
    result.equal += len(b) - missed


def _note(result: Comparison, true: tuple | None, found: tuple | None, worth: float, rank: int) -> None:
    told = true or found or ("", "")
    place = f"{_what(told)} in {told[0]}" if told[0] else _what(told)
    one = result.differing.setdefault(place, Difference(place))
    one.count += 1
    one.weight_s += worth
    if not one.example:
        one.example = f"rank {rank}: {_said(found)} for {_said(true)}"


def _what(token: tuple) -> str:
    return f"{token[1]} for {token[2]}" if token[1] == "wait" and len(token) > 2 else str(token[1])


def _said(token: tuple | None) -> str:
    if token is None:
        return "nothing"
    body = token[2:] if token[1] == "wait" and len(token) > 4 else token[1:]
    parts = [_what(token)]
    if len(body) > 2 and body[2] is not None:
        parts.append(f"peer {body[2]}")
    if len(body) > 3:
        parts += [f"{name} {value:g}" for name, value in body[3]]
    if len(body) > 4 and body[4] is not None:
        parts.append(f"{len(body[4])} lengths")
    return " ".join(parts)


def _worth(token: tuple, ranks: int) -> float:
    """Seconds of an operation by the numbers above."""
    if token[1] in ("begin", "end", "wait") or len(token) < 5:
        return 0.0
    values = dict(token[4])
    if token[1] == "compute":
        return max(values.get("flops", 0) / FLOPS_PER_S, values.get("moved", 0) / BYTES_PER_S)
    amount = sum(token[5]) if token[5] else values.get("bytes", 0)
    levels = 1.0 if token[3] is not None else max(log2(ranks), 1.0)
    return levels * MESSAGE_S + amount / BYTES_PER_S
