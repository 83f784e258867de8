"""One program out of what many ranks of several runs did: operations that stand at the same place become one node.

Sequences are aligned so that most operations meet (Needleman and Wunsch, J. Mol. Biol. 48, 1970). Two messages may only meet where
some law says whom both mean.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import numpy as np

from hakaru.base.errors import UserError
from hakaru.foretell.extrapolate.folding import unfolded_where_accidental
from hakaru.foretell.extrapolate.items import Item, Loop, Op
from hakaru.foretell.extrapolate.peers import LAWS, laws_between
from hakaru.foretell.extrapolate.stretches import Stretch, stretched

Point: TypeAlias = tuple[int, int, int, int]  # run, rank, turn, turns of a stretch
Sequences: TypeAlias = dict[Point, list[Item]]
EVERY = (1 << len(LAWS)) - 1
SURE = 4  # repetitions that tell a loop from others
MOST_PAIRS = 1 << 28  # of operations that are aligned at once: 2 GiB of scores
ALIKE = 0.5  # share of the operations of the smaller of two loops that makes them one


@dataclass(eq=False)
class Node:
    """``laws``: those that say whom every rank means, as bits; ``link``: of a wait, the node that it is for."""

    key: tuple
    laws: int = EVERY
    seen: dict[Point, Item] = field(default_factory=dict)
    children: "list[Node]" = field(default_factory=list)
    kinds: tuple[tuple, ...] = ()  # of a loop's operations
    times: set[int] = field(default_factory=set)  # how often ranks do a loop, from SURE times on
    link: "Node | None" = None


@dataclass(frozen=True)
class Runs:
    """``ranks`` of each run; ``tagged``: tags are part of what an operation is; ``laws``: by which messages may meet, as bits."""

    ranks: tuple[int, ...]
    tagged: bool
    laws: int = EVERY


def merge(sequences: Sequences, runs: Runs, turning: bool = False) -> list[Node]:
    """The nodes of these sequences in their order, loops within loops."""
    sequences = stretched(unfolded_where_accidental(sequences), runs.ranks)
    tagged = runs.tagged and not turning
    nodes: list[Node] = []
    for point in sorted(sequences, key=lambda at: (-runs.ranks[at[0]], -len(sequences[at]), at)):
        nodes = _aligned(nodes, _tokens(sequences[point], runs, point, tagged, turning))
    for node in nodes:
        inside = _inside(node)
        if inside:
            node.children = merge(inside, runs, turning or node.key == ("stretch",))
    return nodes


def _inside(node: Node) -> Sequences:
    """What stands in the loops of a node."""
    found: Sequences = {}
    for (run, rank, turn, turns), item in node.seen.items():
        if isinstance(item, Stretch):
            many = len(item.turns)
            found |= {(run, rank, number, many): items for number, items in enumerate(item.turns)}
        elif isinstance(item, Loop):
            found[run, rank, turn, turns] = item.items
    return found


@dataclass(frozen=True)
class _Token:
    key: tuple
    laws: int
    item: Item
    point: Point
    kinds: tuple[tuple, ...] = ()


def _tokens(items: Iterable[Item], runs: Runs, point: Point, tagged: bool, turning: bool) -> list[_Token]:
    return [_token(one, runs, point, tagged, turning) for one in items]


def _token(one: Item, runs: Runs, point: Point, tagged: bool, turning: bool) -> _Token:
    if isinstance(one, Stretch):
        return _Token(("stretch",), EVERY, one, point, one.kinds)
    if isinstance(one, Loop):
        kinds = tuple(sorted(set(_kinds_inside(one.items, tagged))))
        return _Token(("repeat",), EVERY, one, point, kinds)
    tag = (one.link or one).values.get("tag") if tagged else None
    laws = EVERY if one.peer is None else laws_between(runs.ranks[point[0]], point[1], one.peer)
    laws = laws & runs.laws or laws
    if turning or not laws:  # laws of a stretch depend on the turn
        laws = EVERY
    return _Token((*one.key, tag), laws, one, point)


def _kinds_inside(items: Iterable[Item], tagged: bool) -> Iterable[tuple]:
    """What operations are, without their values but for their tags; of loops within, their operations."""
    for one in items:
        if isinstance(one, Stretch):
            yield ("stretch", *map(str, one.kinds))
        elif isinstance(one, Loop):
            yield from _kinds_inside(one.items, tagged)
        else:
            tag = (one.link or one).values.get("tag") if tagged else None
            yield (*map(str, one.key), str(tag))


def _meet(node: Node, token: _Token) -> float:
    """How well they meet: 0 where they cannot."""
    if node.key != token.key:
        return 0.0
    if node.kinds or token.kinds:
        both = len(set(node.kinds) & set(token.kinds))
        as_often = _times(token.item) in node.times
        if not as_often and both < ALIKE * min(len(node.kinds), len(token.kinds)):
            return 0.0
        return 2.0 * both / max(len(node.kinds), len(token.kinds)) + 0.5 * as_often + 0.1
    common = node.laws & token.laws
    if not common:
        return 0.0
    return 1.5 - 0.1 * LAWS[(common & -common).bit_length() - 1].cost


def _aligned(nodes: list[Node], tokens: Sequence[_Token]) -> list[Node]:
    if len(nodes) == len(tokens) and all(_meet(a, b) for a, b in zip(nodes, tokens, strict=True)):
        for node, token in zip(nodes, tokens, strict=True):
            _join(node, token)
        return nodes
    found: list[Node] = []
    for node, token in _beside(_pairs(nodes, tokens)):
        if node is None and token is not None:
            node = Node(token.key, kinds=token.kinds)
        if node is not None and token is not None:
            _join(node, token)
        if node is not None:
            found.append(node)
    return found


def _times(item: Item) -> int:
    """Of a loop; -1 where they are too few to tell loops apart."""
    return item.times if isinstance(item, Loop) and item.times >= SURE else -1


def _join(node: Node, token: _Token) -> None:
    node.times |= {_times(token.item)} - {-1}
    node.laws &= token.laws
    node.seen[token.point] = token.item
    node.kinds = tuple(sorted(set(node.kinds) | set(token.kinds)))


def _pairs(nodes: list[Node], tokens: Sequence[_Token]) -> list[tuple[Node | None, _Token | None]]:
    """The alignment of greatest worth, in order."""
    first = 0
    while first < min(len(nodes), len(tokens)) and _certain(nodes[first], tokens[first]):
        first += 1
    best = _scores(nodes[first:], tokens[first:])
    found: list[tuple[Node | None, _Token | None]] = list(zip(nodes[:first], tokens[:first], strict=True))
    i, j = first, first
    while i < len(nodes) or j < len(tokens):
        worth = best[i - first][j - first]
        if i < len(nodes) and j < len(tokens):
            meeting = _meet(nodes[i], tokens[j])
            if meeting and worth == meeting + best[i - first + 1][j - first + 1]:
                found.append((nodes[i], tokens[j]))
                i, j = i + 1, j + 1
                continue
        if i < len(nodes) and (j == len(tokens) or worth == best[i - first + 1][j - first]):
            found.append((nodes[i], None))
            i += 1
        else:
            found.append((None, tokens[j]))
            j += 1
    return found


Pairs: TypeAlias = list[tuple[Node | None, _Token | None]]


def _beside(pairs: Pairs) -> Pairs:
    """Where no rank does what stands in both, nothing says the order: what is of one kind is put together, lower peers first."""
    found: Pairs = []
    gap: Pairs = []
    for pair in [*pairs, (None, None)]:
        if (pair[0] is None) != (pair[1] is None):
            gap.append(pair)
            continue
        nodes, tokens = [a for a, _ in gap if a is not None], [b for _, b in gap if b is not None]
        found += _woven(nodes, tokens)
        gap = []
        if pair != (None, None):
            found.append(pair)
    return found


def _woven(nodes: list[Node], tokens: list[_Token]) -> Pairs:
    found: Pairs = []
    for token in tokens:
        alike = next((i for i, node in enumerate(nodes) if _sort(node.key) == _sort(token.key)), None)
        if alike is not None:
            before = alike + (_side(nodes[alike]) <= _side(token))
            found += [(node, None) for node in nodes[:before]]
            nodes = nodes[before:]
        found.append((None, token))
    return found + [(node, None) for node in nodes]


def _sort(key: tuple) -> tuple:
    """What kind of operation, whatever its tag."""
    return tuple(key[:4])


def _side(one: Node | _Token) -> int:
    """Whether the peer is before or behind."""
    point, item = next(iter(one.seen.items())) if isinstance(one, Node) else (one.point, one.item)
    peer = item.peer if isinstance(item, Op) else None
    return 0 if peer is None else (peer > point[1]) - (peer < point[1])


def _certain(node: Node, token: _Token) -> bool:
    return _meet(node, token) > 0 and token.laws == EVERY and not token.kinds


def _scores(nodes: list[Node], tokens: Sequence[_Token]) -> np.ndarray:
    """Worth of aligning what stands from (i, j) to the end: (nodes + 1, tokens + 1). Raises UserError where they are too many."""
    if len(nodes) * len(tokens) > MOST_PAIRS:
        raise UserError(
            "these runs are too long to be extrapolated",
            f"{len(tokens)} operations of one rank are to be aligned with {len(nodes)} of others, for they make few loops",
            "trace a run of fewer steps",
        )
    best = np.zeros((len(nodes) + 1, len(tokens) + 1))
    kinds, kind = _alike(tokens)
    known: dict[tuple, np.ndarray] = {}
    for i in range(len(nodes) - 1, -1, -1):
        meeting = _meetings(nodes[i], kinds, known)[kind]
        below = best[i + 1]
        worth = np.where(meeting > 0.0, np.maximum(meeting + below[1:], below[:-1]), below[:-1])
        best[i, :-1] = np.maximum.accumulate(worth[::-1])[::-1]
    return best


def _meetings(node: Node, tokens: Sequence[_Token], known: dict[tuple, np.ndarray]) -> np.ndarray:
    """How well it meets each; ``known``: of nodes that tokens cannot tell from it."""
    key = (node.key, node.laws, node.kinds, frozenset(node.times))
    if key not in known:
        known[key] = np.array([_meet(node, one) for one in tokens])
    return known[key]


def _alike(tokens: Sequence[_Token]) -> tuple[list[_Token], np.ndarray]:
    """One of each kind that nodes cannot tell apart, and of which kind each is."""
    numbers: dict[tuple, int] = {}
    kinds: list[_Token] = []
    found = np.empty(len(tokens), int)
    for j, one in enumerate(tokens):
        found[j] = numbers.setdefault((one.key, one.laws, one.kinds, _times(one.item)), len(numbers))
        if found[j] == len(kinds):
            kinds.append(one)
    return kinds, found


def link(nodes: list[Node], sequences_of: dict[int, Node] | None = None) -> None:
    """Waits get the node of what they wait for."""
    every = {} if sequences_of is None else sequences_of
    _collect(nodes, every)
    for node in walk(nodes):
        for item in node.seen.values():
            if item.link is not None:
                node.link = every.get(id(item.link), node.link)


def _collect(nodes: list[Node], every: dict[int, Node]) -> None:
    for node in walk(nodes):
        every.update({id(item): node for item in node.seen.values() if isinstance(item, Op)})


Tree = TypeVar("Tree")  # has children of its own kind


def walk(nodes: Iterable[Tree]) -> Iterable[Tree]:
    """Of nodes, or of what was solved of them: each before its children."""
    for node in nodes:
        yield node
        yield from walk(node.children)
