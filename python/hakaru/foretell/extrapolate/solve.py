"""Laws for every operation of a program: who does it, whom it means, how many bytes, how often, how long it computes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hakaru.foretell.extrapolate import late
from hakaru.foretell.extrapolate.conditions import ALWAYS, Condition, Search, atoms
from hakaru.foretell.extrapolate.directions import Message, directions
from hakaru.foretell.extrapolate.grids import GRIDS, LINE, Grid
from hakaru.foretell.extrapolate.items import Loop, Op
from hakaru.foretell.extrapolate.lists import ListLaw, Members
from hakaru.foretell.extrapolate.lists import fit as fit_lists
from hakaru.foretell.extrapolate.peers import LAWS, TURNING, PeerLaw
from hakaru.foretell.extrapolate.points import Block, Values, together
from hakaru.foretell.extrapolate.refusals import Refused
from hakaru.foretell.extrapolate.stretches import Turns
from hakaru.foretell.extrapolate.template import EVERY, Node, Point, walk
from hakaru.foretell.extrapolate.values import Fitter, ValueLaw, constant

WORK = ("flops", "moved", "allocated", "seconds")
LONG = 6.0  # cost of a law that a shorter one is sought beside
SCALAR_BYTES = 16  # of a message, which does not grow with anything
MOST_LAWS = 24  # of those that say whom an operation means, how many are tried with conditions


@dataclass(frozen=True)
class Source:
    """One run: its ranks, the sizes of its problem, and how they are divided where ranks do not divide them (factors.DIVISIONS)."""

    ranks: int
    sizes: dict[str, float]
    division: str = "first"


@dataclass(eq=False)
class Solved:
    """``node`` with its laws; ``turns`` of a stretch; ``times`` of a loop."""

    node: Node
    condition: Condition
    peers: PeerLaw | None
    values: dict[str, ValueLaw]
    times: ValueLaw | None = None
    turns: Turns | None = None
    children: "list[Solved]" = field(default_factory=list)
    lists: ListLaw | None = None  # of a list of lengths
    lengths: ValueLaw | None = None  # their mean, where they follow no law
    uneven: bool = False  # the lengths differ, and the mean stands for them
    seconds: Values | None = None  # measured computing in front of it, where it is done
    blocks: Sequence[Block] = ()  # those points


class Points:
    """Points in order, as blocks."""

    def __init__(self, points: Iterable[Point], sources: Sequence[Source]):
        self.order = sorted(points)
        self.sources = sources
        self.blocks: list[Block] = []
        for run in sorted({point[0] for point in self.order}):
            mine = np.array([point[1:] for point in self.order if point[0] == run])
            source = sources[run]
            who, turn, turns = mine.T
            self.blocks.append(Block(source.ranks, source.sizes, who, turn, turns, None, source.division))
        self._peers: dict[str, Values] = {}

    def peers(self, law: PeerLaw) -> Values:
        """Whom they mean by a law."""
        if law.name not in self._peers:
            self._peers[law.name] = together(
                self.blocks, lambda b: law.peers(b.ranks, b.who, b.turn, b.turns)
            )
        return self._peers[law.name]

    def chosen(self, which: Values) -> "Points":
        return Points([point for point, yes in zip(self.order, which, strict=True) if yes], self.sources)


Lawful = dict[Node, list[tuple[PeerLaw, Values]]]


class Solver:
    def __init__(self, sources: Sequence[Source], grid: Grid | None = None, known: "Lawful | None" = None):
        self.sources, self.grid = sources, grid
        self._known: Lawful = {} if known is None else known  # of other grids, for their laws are the same
        self.messages: dict[str, ValueLaw] = {}  # laws of bytes that hold on several numbers of ranks
        self.messages_known = False  # all of them
        self.members: Sequence[Members] = ()  # of each run
        self.asked = 0  # ranks of the target
        self.directions: dict[Node, PeerLaw] = {}  # of messages that several laws explain as well
        self._points: dict[tuple, Points] = {}
        self._searches: dict[tuple, Search] = {}
        self._fitters: dict[tuple, Fitter] = {}

    @property
    def grids(self) -> list[Grid]:
        return [LINE] if self.grid in (None, LINE) else [self.grid, LINE]

    def solve(self, nodes: Sequence[Node], domain: Iterable[Point]) -> list[Solved]:
        points = self._points_of(tuple(sorted(domain)))
        return [self._solve(node, points) for node in nodes]

    def _solve(self, node: Node, domain: Points) -> Solved:
        present = np.array([point in node.seen for point in domain.order])
        condition, law = self.place(node, domain, present)
        points = self._points_of(tuple(point for point in domain.order if point in node.seen))
        solved = Solved(node, condition, law, {}, blocks=points.blocks)
        items = [node.seen[point] for point in points.order]
        fitter = self._fitter(points, items)
        if node.key[0] == "stretch":
            self._stretch(solved, items)
        elif isinstance(items[0], Loop):
            times = np.array([item.times for item in items if isinstance(item, Loop)])
            solved.times = self._law(fitter, times, node, "repetitions")
            solved.children = self.solve(node.children, points.order)
        else:
            self._values(solved, [item for item in items if isinstance(item, Op)], points)
        return solved

    def _of_message(
        self, law: ValueLaw | None, points: Points, values: Values, node: Node
    ) -> ValueLaw | None:
        """The law of another message of the program, where this one is seen on one number of ranks alone."""
        if not self._seen_once(points):
            if law is not None:
                self.messages.setdefault(law.name, law)
            return law
        fitting = [one for one in self.messages.values() if (together(points.blocks, one.of) == values).all()]
        if not fitting and self.messages_known:
            seen = points.blocks[0].ranks
            raise Refused(node, f"it is seen on {seen} ranks only, so that no law can be told for its bytes")
        return min(fitting, key=lambda one: one.cost, default=law)

    def _seen_once(self, points: Points) -> bool:
        """Whether it says nothing of how it changes with the ranks, although several numbers of ranks were traced."""
        return (
            len({block.ranks for block in points.blocks})
            == 1
            < len({source.ranks for source in self.sources})
        )

    def _stretch(self, solved: Solved, items: list) -> None:
        if len({item.law for item in items}) > 1:
            raise Refused(solved.node, "its repetitions follow no single law")
        solved.turns = items[0].law
        points = [
            (run, rank, turn, len(item.turns))
            for (run, rank, _, _), item in solved.node.seen.items()
            for turn in range(len(item.turns))
        ]
        solved.children = self.solve(solved.node.children, points)

    def _values(self, solved: Solved, items: list[Op], points: Points) -> None:
        for name in items[0].values:
            column = np.array([item.values[name] for item in items], float)
            law = self._fitter(points, items).fit(column)
            if name == "bytes" and items[0].peer is not None and column.max() > SCALAR_BYTES:
                law = self._of_message(law, points, column, solved.node)
            if law is None and items[0].peer is not None:
                law = self._fitter(points, items, True).fit(column)
            if law is None or law.cost > LONG:
                law = self._late(self._fitter(points, items), column, law)
            if law is None and name in WORK:
                law = self._fitter(points, items).nearly(column)
            solved.values[name] = law or self._law(self._fitter(points, items), column, solved.node, name)
        if items[0].lengths is not None and self.members:
            runs = [self.members[run] for run in sorted({point[0] for point in points.order})]
            solved.lists = fit_lists(points.blocks, items, runs, self.grids)
        if items[0].lengths is not None and solved.lists is None:
            means = np.array([float(np.mean(item.lengths or (0,))) for item in items])
            solved.uneven = any(len(set(item.lengths or ())) > 1 for item in items)
            solved.lengths = _approximate(solved, means)
        seconds = np.array([item.seconds for item in items])
        if seconds.any():
            solved.seconds = seconds

    def _law(self, fitter: Fitter, values: Values, node: Node, name: str) -> ValueLaw:
        law = fitter.fit(values) or self._late(fitter, values, None)
        if law is None:
            raise Refused(node, f"no law was found for its {name}: {_told(values)}", fitter.blocks, values)
        return law

    def _late(self, fitter: Fitter, values: Values, law: ValueLaw | None) -> ValueLaw | None:
        """The shorter of a law of all runs, if there is one, and a law of most."""
        found = late.from_some_on(fitter, values, self.asked)
        if found is None and law is None:
            found = late.used_up(fitter.blocks, values, self.asked)
        return min((one for one in (law, found) if one is not None), key=lambda one: one.cost, default=None)

    def place(self, node: Node, domain: Points, present: Values) -> tuple[Condition, PeerLaw | None]:
        """Who does it, and whom they mean."""
        search = self._search(domain)
        everywhere = np.ones(len(present), bool)
        if all(item.link is None and getattr(item, "peer", None) is None for item in node.seen.values()) or (
            node.key[0] == "wait"
        ):
            found = [ALWAYS] if node.key[0] == "wait" else search.holding(present, everywhere)
            if not found and (some := late.first_ranks(domain.blocks, present)) is not None:
                found = [some]
            if not found:
                raise Refused(node, "no law was found for which ranks do it", domain.blocks, present)
            return found[0], None
        best = self.candidates(node, domain, present)
        if not best:
            raise Refused(
                node, "no law was found for whom it means and which ranks do it", domain.blocks, present
            )
        mine = self._simplest(best)
        return next((one for one in mine if one[1] is self.directions.get(node)), mine[0])

    def _simplest(self, best: list[tuple[Condition, PeerLaw]]) -> list[tuple[Condition, PeerLaw]]:
        mine = [one for one in best if one[1].grid in (None, self.grid)] or best
        least = min(condition.cost + law.cost for condition, law in mine)
        return [one for one in mine if one[0].cost + one[1].cost <= least + 1e-9]

    def tell_directions(self, nodes: Sequence[Node], domain: Iterable[Point]) -> None:
        """Of all messages, before laws are sought for them."""
        found = []
        for node, points in _messages(nodes, tuple(sorted(domain)), self):
            present = np.array([point in node.seen for point in points.order])
            if best := self.candidates(node, points, present):
                found.append(Message(node, tuple(law for _, law in self._simplest(best))))
        self.directions = directions(found)

    def candidates(self, node: Node, domain: Points, present: Values) -> list[tuple[Condition, PeerLaw]]:
        """Laws that say whom everybody means, each with the condition that says who does it."""
        if node not in self._known:
            self._known[node] = _lawful(node, domain, present)
        search, found = self._search(domain), []
        mine = sorted(
            self._known[node], key=lambda one: one[0].cost - (1.5 if one[0].grid is self.grid else 0.0)
        )
        for law, exists in mine[:MOST_LAWS]:
            conditions = search.holding(present, exists)
            if conditions:
                found.append((conditions[0], law))
        return found

    def _points_of(self, order: tuple[Point, ...]) -> Points:
        if order not in self._points:
            self._points[order] = Points(order, self.sources)
        return self._points[order]

    def _search(self, points: Points) -> Search:
        key = tuple(points.order)
        if key not in self._searches:
            self._searches[key] = Search(points.blocks, atoms(self.grids))
        return self._searches[key]

    def _fitter(self, points: Points, items: Sequence[object], peers: bool = False) -> Fitter:
        meant = tuple(getattr(item, "peer", None) for item in items) if peers else ()
        key = (tuple(points.order), meant)
        if key not in self._fitters:
            blocks, at = points.blocks, 0
            if peers:
                blocks = []
                for block in points.blocks:
                    mine = np.array(meant[at : at + len(block.who)])
                    at += len(block.who)
                    blocks.append(replace(block, peers=mine, _kept={}))
            cases = [one for one in atoms(self.grids)[1:] if not one.of_run]
            self._fitters[key] = Fitter(blocks, self.grids, cases)
        return self._fitters[key]


def _lawful(node: Node, domain: Points, present: Values) -> list[tuple[PeerLaw, Values]]:
    """Laws that say whom everybody means, with who has somebody to mean."""
    meant = np.array([node.seen[p].peer if p in node.seen else -2 for p in domain.order])  # type: ignore[union-attr]
    turning = any(len(np.unique(block.turns)) > 1 or block.turns.max() > 1 for block in domain.blocks)
    laws = [law for i, law in enumerate(LAWS) if node.laws == EVERY or node.laws >> i & 1]
    found = []
    for law in (*TURNING, *laws) if turning else laws:
        peers = domain.peers(law)
        if (peers[present] == meant[present]).all():
            found.append((law, peers >= 0))
    return found


def _told(values: Values) -> str:
    some = [f"{value:g}" for value in dict.fromkeys(values.tolist())]
    return ", ".join(some[:6]) + (", ..." if len(some) > 6 else "")


def _approximate(solved: Solved, means: Values) -> ValueLaw:
    """Of mean lengths: c P^e in the least squares of logarithms."""
    ranks = together(solved.blocks, lambda block: np.full(block.who.shape, float(block.ranks)))
    if len(np.unique(ranks)) < 2 or not (means > 0).all():
        return constant(float(np.mean(means)))
    power, start = np.polyfit(np.log(ranks), np.log(means), 1)
    nearest = round(power)
    power = float(nearest) if abs(power - nearest) < 0.05 else float(power)
    start = float(np.mean(np.log(means) - power * np.log(ranks)))
    name = f"about {np.exp(start):.6g} x P^{power:g}"
    return ValueLaw(
        name, 2.0, lambda block: np.full(block.who.shape, np.exp(start) * float(block.ranks) ** power)
    )


NODE_COST = 0.5  # of an operation in a program


def grids_by_cost(
    nodes: Sequence[Node], sources: Sequence[Source], domain: Sequence[Point]
) -> list[tuple[float, Grid]]:
    """Arrangements of the ranks that fit their numbers, the one by which all messages are explained most simply first."""
    fitting = [grid for grid in GRIDS if all(grid.extents(source.ranks) for source in sources)]
    known: Lawful = {}
    found = [(grid.cost + cost_of_grid(nodes, sources, domain, grid, known), grid) for grid in fitting]
    return sorted(found, key=lambda one: one[0])


def cost_of_grid(
    nodes: Sequence[Node],
    sources: Sequence[Source],
    domain: Sequence[Point],
    grid: Grid,
    known: "Lawful | None" = None,
) -> float:
    """Of all operations, and of saying whom each means."""
    solver = Solver(sources, grid, known)
    explained = [
        _explained(solver, node, points) for node, points in _messages(nodes, tuple(sorted(domain)), solver)
    ]
    return sum(explained) + NODE_COST * sum(1 for _ in walk(nodes))


SIMPLE = 1.5  # cost of laws without an arrangement that stand beside one


def laws_of(grid: Grid, around: bool | None) -> int:
    """Laws of this arrangement and simple ones that need none, as bits; ``around``: periodic or not, None: both, and all that need none."""

    def belongs(law: PeerLaw) -> bool:
        if law.grid is None:
            return around is None or law.cost <= SIMPLE
        return law.grid is grid and around in (None, law.around)

    return sum(1 << i for i, law in enumerate(LAWS) if belongs(law))


def _messages(
    nodes: Sequence[Node], domain: tuple[Point, ...], solver: Solver
) -> Iterable[tuple[Node, Points]]:
    for node in nodes:
        if node.children:
            here = tuple(point for point in domain if point in node.seen)
            if node.key[0] == "stretch":
                here = tuple(
                    (p[0], p[1], turn, len(i.turns))
                    for p, i in node.seen.items()
                    for turn in range(len(i.turns))
                )  # type: ignore[union-attr]
            yield from _messages(node.children, here, solver)
        elif node.key[0] != "wait" and any(
            getattr(item, "peer", None) is not None for item in node.seen.values()
        ):
            yield node, solver._points_of(tuple(sorted(domain)))


def _explained(solver: Solver, node: Node, points: Points) -> float:
    present = np.array([point in node.seen for point in points.order])
    found = [
        one for one in solver.candidates(node, points, present) if one[1].grid in (None, solver.grid, LINE)
    ]
    return min((condition.cost + law.cost for condition, law in found), default=30.0)
