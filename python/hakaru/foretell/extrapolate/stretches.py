"""Loops whose turns grow with the ranks: rings, butterflies, trees. Other than loops, their turns may differ in peers and sizes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hakaru.foretell.extrapolate.grids import GRIDS
from hakaru.foretell.extrapolate.items import Item, Loop, Op
from hakaru.foretell.extrapolate.peers import LAWS, TURNING, PeerLaw, trailing_zeros

if TYPE_CHECKING:
    from hakaru.foretell.extrapolate.template import Sequences

LONGEST = 64  # operations of a turn
BESIDE = 1  # operations of the same kind that may stand beside a loop
FEWEST, SURE = (
    2,
    3,
)  # turns of the largest run that may be a loop; from which on tags may differ between turns


@dataclass(frozen=True)
class Turns:
    """How many turns there are, by (ranks, ranks looked at)."""

    name: str
    of: Callable[[int, np.ndarray], np.ndarray]


def _log2(value: int) -> int:
    return int(value).bit_length() - 1


def _extent(name: str, axis: int, change: Callable[[int], int]) -> list[Turns]:
    found = []
    for grid in GRIDS[1:3]:

        def of(ranks: int, who: np.ndarray, grid: object = grid) -> np.ndarray:
            extents = grid.extents(ranks)  # type: ignore[attr-defined]
            return np.full(who.shape, change(extents[axis]) if extents else 0)

        found.append(Turns(f"{name} of axis {axis + 1} of {grid.name}", of))
    return found


def _all_alike(name: str, of: Callable[[int], int]) -> Turns:
    return Turns(name, lambda ranks, who: np.full(who.shape, of(ranks)))


TURNS: tuple[Turns, ...] = (
    _all_alike("P - 1", lambda ranks: ranks - 1),
    _all_alike("P", lambda ranks: ranks),
    _all_alike("log2 P", _log2),
    _all_alike("P - 2", lambda ranks: ranks - 2),
    _all_alike("P / 2", lambda ranks: ranks // 2),
    _all_alike("P / 2 - 1", lambda ranks: ranks // 2 - 1),
    *_extent("log2", 1, _log2),
    *_extent("log2", 0, _log2),
    *_extent("one less than the extent", 1, lambda extent: extent - 1),
    *_extent("one less than the extent", 0, lambda extent: extent - 1),
    Turns("the children in a binomial tree", lambda ranks, who: trailing_zeros(who, ranks)),
    Turns("the ranks before", lambda ranks, who: who + 0),
    Turns("the ranks behind", lambda ranks, who: ranks - 1 - who),
)


@dataclass(slots=True)
class Stretch:
    turns: list[list[Item]]
    law: Turns
    kinds: tuple[tuple, ...] = ()
    link: None = None
    seconds: float = 0.0
    values: dict = field(default_factory=dict)


def stretched(sequences: "Sequences", ranks: tuple[int, ...]) -> "Sequences":
    """The same with every loop found whose turns follow a law of the ranks."""
    for _ in range(8):
        found = _one(sequences, ranks)
        if found is None:
            return sequences
        sequences = found
    return sequences


def _possible(turns: int, ranks: int, rank: int) -> bool:
    return turns >= FEWEST and any(int(law.of(ranks, np.array([rank]))[0]) == turns for law in TURNS)


def _kinds(items: Iterable[Item]) -> list[tuple]:
    return [_kind(one) for one in items]


def _kind(one: Item) -> tuple:
    if isinstance(one, Loop):
        return ("repeat", *_kinds(one.items))
    return one.key if isinstance(one, Op) else ("stretch",)


def _one(sequences: "Sequences", ranks: tuple[int, ...]) -> "Sequences | None":
    if len(set(ranks)) < 2 or any(point[3] > 1 for point in sequences):
        return None
    numbers: dict[tuple, int] = {}
    kinds = {
        point: [numbers.setdefault(kind, len(numbers)) for kind in _kinds(items)]
        for point, items in sequences.items()
    }
    largest = max(ranks)
    longest = max((p for p in kinds if ranks[p[0]] == largest), key=lambda p: len(kinds[p]), default=None)
    if longest is None:
        return None
    tried: set[tuple] = set()
    for body in _bodies(kinds[longest]):
        if body in tried:
            continue
        tried.add(body)
        if not any(
            _possible(turns - more, ranks[longest[0]], longest[1])
            for more in range(BESIDE + 1)
            for _, turns in _places(kinds[longest], body)
        ):
            continue
        found = _fold(sequences, kinds, body, ranks)
        if found is not None:
            return found
    return None


def _bodies(kinds: list[int]) -> Iterable[tuple]:
    """What repeats directly, shortest and leftmost first, in every rotation."""
    for period in range(1, min(LONGEST, len(kinds) // FEWEST) + 1):
        run = 0
        for at in range(len(kinds) - period):
            run = run + 1 if kinds[at] == kinds[at + period] else 0
            if run == period * (FEWEST - 1):
                begin = at - run + 1
                for turn in range(period):
                    body = tuple(kinds[begin + turn : begin + turn + period])
                    if len(body) == period and not _is_repeated(body):
                        yield body


def _is_repeated(body: tuple) -> bool:
    return any(len(body) % n == 0 and body == body[:n] * (len(body) // n) for n in range(1, len(body)))


def _places(kinds: list[int], body: tuple) -> list[tuple[int, int]]:
    """Where the body stands and how often in a row."""
    found, at, size = [], 0, len(body)
    while at + size <= len(kinds):
        turns = 0
        while tuple(kinds[at + turns * size : at + (turns + 1) * size]) == body:
            turns += 1
        if turns:
            found.append((at, turns))
        at += max(turns * size, 1)
    return found


def _fold(sequences: "Sequences", kinds: dict, body: tuple, ranks: tuple[int, ...]) -> "Sequences | None":
    places = {point: _places(of, body) for point, of in kinds.items()}
    most = max(len(found) for found in places.values())
    if any(len(found) not in (most, 0) for found in places.values()):
        return None
    laws: list[tuple[Turns, int] | None] = []
    for number in range(most):
        turns = {point: found[number][1] if found else 0 for point, found in places.items()}
        law = _law(turns, ranks) if len(set(turns.values())) > 1 else None
        if law is None and len(set(turns.values())) > 1:
            return None
        laws.append(law)
    if not any(laws):
        return None
    for at_end in (True, False)[: 1 + any(law is not None and law[1] for law in laws)]:
        folded = {
            point: _with(items, places[point], len(body), laws, at_end) for point, items in sequences.items()
        }
        if _accepted(folded, ranks):
            return folded
    return None


def _accepted(folded: "Sequences", ranks: tuple[int, ...]) -> bool:
    turns = [len(one.turns) for items in folded.values() for one in items if isinstance(one, Stretch)]
    if max(turns, default=0) < FEWEST or not _lawful(folded, ranks):
        return False
    return max(turns) >= SURE or _only_turning(folded, ranks)


def _law(turns: "dict", ranks: tuple[int, ...]) -> tuple[Turns, int] | None:
    """The law of the turns, and how many more of the same kind always stand beside them."""
    for more in range(BESIDE + 1):
        for law in TURNS:
            if all(int(law.of(ranks[p[0]], np.array([p[1]]))[0]) == many - more for p, many in turns.items()):
                return law, more
    return None


def _with(
    items: list[Item],
    places: list[tuple[int, int]],
    size: int,
    laws: "list[tuple[Turns, int] | None]",
    at_end: bool,
) -> list[Item]:
    """``at_end``: what stands beside the turns is behind them."""
    found: list[Item] = []
    done = 0
    for (at, turns), chosen in zip(places, laws, strict=False):
        if chosen is None:
            continue
        law, more = chosen
        at, turns = at if at_end else at + more * size, turns - more
        found += items[done:at]
        parts = [items[at + turn * size : at + (turn + 1) * size] for turn in range(turns)]
        if parts:
            found.append(Op(("turn",), {}, seconds=_taken_out(parts[0])))
            found.append(Stretch(parts, law, tuple(sorted(set(_kinds(parts[0])), key=str))))  # type: ignore[arg-type]
        done = at + turns * size
    return found + items[done:]


def _lawful(sequences: "Sequences", ranks: tuple[int, ...]) -> bool:
    """Whether some law says whom every operation of the stretches means."""
    return all(_explained(rows, (*TURNING, *LAWS)) for rows in _meant(sequences, ranks).values())


def _only_turning(sequences: "Sequences", ranks: tuple[int, ...]) -> bool:
    """Whether turns differ in whom they mean, by a law of the turn, and in no tag: what two turns need to be a loop."""
    meant = _meant(sequences, ranks)
    tags = {
        tuple(op.values.get("tag") for op in _operations(part))
        for items in sequences.values()
        for one in items
        if isinstance(one, Stretch)
        for part in one.turns
    }
    return (
        bool(meant)
        and len(tags) == 1
        and all(_explained(rows, TURNING) and not _explained(rows, LAWS) for rows in meant.values())
    )


def _meant(sequences: "Sequences", ranks: tuple[int, ...]) -> dict[tuple[int, int], list[tuple[int, ...]]]:
    """(ranks, rank, turn, turns, peer) of each operation of the stretches."""
    means: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for point, items in sequences.items():
        stretches = [one for one in items if isinstance(one, Stretch)]
        for number, one in enumerate(stretches):
            for turn, part in enumerate(one.turns):
                for offset, op in enumerate(_operations(part)):
                    if op.peer is not None:
                        at = (ranks[point[0]], point[1], turn, len(one.turns), op.peer)
                        means.setdefault((number, offset), []).append(at)
    return means


def _taken_out(items: list[Item]) -> float:
    """Computing in front of the first turn, which is no part of the others."""
    first = next(iter(_operations(items)), None)
    if first is None:
        return 0.0
    if first.before is None:
        first.before, first.seconds = first.seconds, 0.0
    return first.before


def _operations(items: Iterable[Item]) -> Iterable[Op]:
    for one in items:
        if isinstance(one, Loop):
            yield from _operations(one.items)
        elif isinstance(one, Op):
            yield one


def _explained(rows: list[tuple[int, ...]], laws: Iterable[PeerLaw]) -> bool:
    table = np.array(rows)
    for law in laws:
        if all(_holds(law, int(many), table[table[:, 0] == many]) for many in np.unique(table[:, 0])):
            return True
    return False


def _holds(law: PeerLaw, ranks: int, rows: np.ndarray) -> bool:
    return bool((law.peers(ranks, rows[:, 1], rows[:, 2], rows[:, 3]) == rows[:, 4]).all())
