"""Loops in what a trace says one operation after the other (Noeth et al., ScalaTrace, JPDC 69(8), 2009: regular sections).

The shortest period that repeats is folded first, so that inner loops come before the loops around them.
Operations are alike when everything but their computing and lengths that follow the data are; the computing of a folded operation is the
mean over its turns.
"""

from typing import TYPE_CHECKING

import numpy as np

from hakaru.foretell.extrapolate.items import Item, Loop, Op

if TYPE_CHECKING:
    from hakaru.foretell.extrapolate.template import Point

LONGEST = 4000  # operations of a loop's body


def fold(items: list[Item]) -> list[Item]:
    """The same with its repetitions as loops."""
    names: dict[tuple, int] = {}
    period = 1
    ids = _ids(items, names)
    while period <= min(len(items) // 2, LONGEST):
        folded = _fold_period(items, ids, period)
        if folded is None:
            period += 1
        else:
            items, period = folded, max(1, period // 2)
            ids = _ids(items, names)
    return items


def _ids(items: list[Item], names: dict[tuple, int]) -> np.ndarray:
    """A number for each item, equal where the items are alike; a wait is named by how far back it was started."""
    place = {id(one): index for index, one in enumerate(items)}
    return np.array([names.setdefault(_name(one, place, at), len(names)) for at, one in enumerate(items)])


def _name(one: Item, place: dict[int, int], at: int) -> tuple:
    if isinstance(one, Loop):
        inside = {id(two): index for index, two in enumerate(one.items)}
        return ("repeat", one.times, *(_name(two, inside, i) for i, two in enumerate(one.items)))
    back = at - place[id(one.link)] if one.link is not None and id(one.link) in place else None
    return (one.key, tuple(one.values.items()), one.peer, len(one.lengths or ()), back)


def _fold_period(items: list[Item], ids: np.ndarray, period: int) -> list[Item] | None:
    """With every repetition of this period folded; None where there is none."""
    same = ids[:-period] == ids[period:]
    if not same.any():
        return None
    edges = np.flatnonzero(np.diff(np.concatenate(([0], same.astype(np.int8), [0]))))
    found: list[Item] = []
    done = 0
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        begin = max(int(begin), done)
        turns = (int(end) - begin) // period + 1
        if turns < 2 or _leaves_requests(items, begin, period):
            continue
        found += items[done:begin]
        found.append(_loop(items, begin, period, turns))
        done = begin + period * turns
    return found + items[done:] if done else None


def _leaves_requests(items: list[Item], begin: int, period: int) -> bool:
    """Whether the body waits for what was started outside of it, or starts what it does not wait for."""
    body = items[begin : begin + period]
    inside = {id(one) for one in body}
    waited = {id(one.link) for one in body if one.link is not None}
    starts = {id(one) for one in body if isinstance(one, Op) and one.key[0] != "wait" and _starts(one)}
    return not waited <= inside or waited != starts


def _starts(one: Op) -> bool:
    return len(one.key) > 3 and bool(one.key[3])


def _loop(items: list[Item], begin: int, period: int, turns: int) -> Loop:
    body = items[begin : begin + period]
    for offset, one in enumerate(body):
        others = [items[begin + turn * period + offset] for turn in range(turns)]
        _mean_seconds(one, others)
    return Loop(turns, body)


def _mean_seconds(one: Item, others: list[Item]) -> None:
    if isinstance(one, Loop):
        for index, inner in enumerate(one.items):
            _mean_seconds(inner, [other.items[index] for other in others])  # type: ignore[union-attr]
    else:
        one.seconds = float(np.mean([other.seconds for other in others]))


FEW = 3  # turns that equal neighbours may make by accident


def unfolded_where_accidental(sequences: "dict[Point, list[Item]]") -> "dict[Point, list[Item]]":
    """Sequences with as many loops each as can be: loops of few turns are taken apart where others have none, for there they are no loops."""
    for turns in range(2, FEW + 1):
        counts = {sum(isinstance(one, Loop) for one in items) for items in sequences.values()}
        if len(counts) <= 1:
            break
        sequences = {point: _apart(items, turns) for point, items in sequences.items()}
    return sequences


def _apart(items: list[Item], turns: int) -> list[Item]:
    found: list[Item] = []
    for one in items:
        if isinstance(one, Loop) and one.times == turns:
            for _ in range(turns):
                found += _copied(one.items, {})
        else:
            found.append(one)
    return found


def _copied(items: list[Item], copies: dict[int, Op]) -> list[Item]:
    """With waits that mean the copies of their starts."""
    found: list[Item] = []
    for one in items:
        if isinstance(one, Loop):
            found.append(Loop(one.times, _copied(one.items, copies)))
        elif isinstance(one, Op):
            link = copies.get(id(one.link), one.link)
            copies[id(one)] = Op(one.key, one.values, one.peer, one.lengths, link, one.seconds)
            found.append(copies[id(one)])
    return found
