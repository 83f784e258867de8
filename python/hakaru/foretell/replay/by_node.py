"""Collectives in two parts: among the ranks of a node, then among one rank of each node (docs/explanation/replay.md, "By node").

    T(nodes x each ranks, s bytes) = T_inside(each, s) + T_among(nodes, s)

A part that the machine's facts measured is that (``network.<level>.NAME`` of as many ranks as a node has; ``network.node.NAME`` of one rank a
node); where a fact of the network was set, times what replays say that the change makes of it. The other part is replayed.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.schedules.schedule import SCHEMA, Communicator, Operation, Phase, Schedule, Stream
from hakaru.foretell.replay.documents.network import MeasuredPoint, Price
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.levels import Told, entries
from hakaru.foretell.replay.network import BY_NODE, NetworkPlan, measured_price, network_plan

NAMES = ("allreduce", "broadcast", "reduce")
SIZES = tuple(2**power for power in range(2, 23))  # B
MOST_NODES = 4096  # of a table; beyond, its last slope goes on
SYNCHRONISED = "scan"  # costs nothing here: all begin a collective together


@dataclass(frozen=True)
class Known:
    """Measured facts at a path; none where nobody measured."""

    path: str = ""
    facts: tuple[Fact, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts)


@dataclass(frozen=True)
class Part:
    """``ranks`` of them, ``each`` on a node, as ``known`` or to be replayed."""

    name: str
    ranks: int
    each: int
    known: Known


def with_parts(
    plan: NetworkPlan, machine: Machine, ranks: int, asked: Mapping[str, str], mpi: str, engine: Engine
) -> NetworkPlan:
    """The plan with prices of those collectives that are asked ``by_node``, and of those that a machine that was not probed knows by measured
    facts and nobody asked otherwise. Raises UserError for a collective that has no two such parts."""
    names = [name for name, way in asked.items() if way == BY_NODE]
    for name in names:
        if name not in NAMES:
            raise UserError(
                f"{name} is not done by node", f"two parts have {', '.join(NAMES)}", "name an algorithm"
            )
    if ranks == 1:
        return plan
    if plan.network.model == "hierarchy" and not machine.is_measured:
        names += [name for name in NAMES if name not in asked and _is_known(machine, name, plan, ranks)]
    prices = {name: _price(plan, machine, name, ranks, mpi, engine) for name in names}
    network = msgspec.structs.replace(plan.network, collectives=plan.network.collectives | prices)
    return NetworkPlan(network, plan.told, plan.placement)


def _is_known(machine: Machine, name: str, plan: NetworkPlan, ranks: int) -> bool:
    each = plan.placement.ranks_per_node
    among = plan.placement.nodes(ranks) > 1 and _among(machine, name)
    return bool(among or (1 < each <= ranks and _inside(machine, name, each)))


def _among(machine: Machine, name: str) -> Known:
    return Known(f"network.node.{name}", entries(machine.as_measured, "node", name))


def _inside(machine: Machine, name: str, each: int) -> Known:
    """Of as many ranks as a node has."""
    for level in ("socket", "core"):
        if found := [fact for fact in entries(machine.as_measured, level, name) if fact.about(ranks=each)]:
            return Known(f"network.{level}.{name}", tuple(found))
    return Known()


def _price(plan: NetworkPlan, machine: Machine, name: str, ranks: int, mpi: str, engine: Engine) -> Price:
    each, nodes = plan.placement.ranks_per_node, plan.placement.nodes(ranks)
    inside = _inside(machine, name, each) if each > 1 else Known()
    among = _among(machine, name)
    for known in (among, inside):
        for fact in known.facts:
            plan.told.fact(known.path, fact)
    plan.told.assume(_words(name, bool(inside), bool(among), each))
    replays = Replays(machine, mpi, engine, plan.told)
    points, within = [], dict.fromkeys(SIZES, 0.0)
    for few in _twos(each):
        within = replays.times(Part(name, few, few, inside if few == each else Known()))
        points += _points(few, within)
    for many in _twos(min(nodes, MOST_NODES)):
        times = replays.times(Part(name, many, 1, among))
        points += _points(many * each, {size: took + within[size] for size, took in times.items()})
    return Price(table=tuple(points))


def _words(name: str, inside: bool, among: bool, each: int) -> str:
    first = "as measured" if inside else "replayed"
    second = "as measured" if among else "replayed"
    alone = f"{name} takes what it takes among nodes, {second}"
    return alone if each == 1 else f"{alone}, after what it takes among the {each} ranks of a node, {first}"


def _twos(most: int) -> Iterator[int]:
    """2, 4, 8 ... below ``most``, then ``most``; nothing of one."""
    power = 2
    while power < most:
        yield power
        power *= 2
    if most > 1:
        yield most


def _points(ranks: int, times: Mapping[int, float]) -> list[MeasuredPoint]:
    return [MeasuredPoint(ranks=ranks, bytes=size, value_s=took) for size, took in times.items()]


@dataclass(frozen=True)
class Replays:
    """Of parts; ``told``: what those that stand in for facts rest on."""

    machine: Machine
    mpi: str
    engine: Engine
    told: Told

    def times(self, part: Part) -> dict[int, float]:
        """Seconds by bytes."""
        if not part.known:
            return self._replayed(self.machine, part, self.told)
        before = self.machine.as_measured
        found = self._replayed(before, part, Told(), {part.name: measured_price(part.known.facts)})
        if before is self.machine:
            return found
        by_steps, changed = (self._replayed(one, part, Told()) for one in (before, self.machine))
        return {size: took * changed[size] / by_steps[size] for size, took in found.items()}

    def _replayed(
        self, machine: Machine, part: Part, told: Told, prices: Mapping[str, Price] | None = None
    ) -> dict[int, float]:
        """Seconds of the last rank, by bytes."""
        plan = network_plan(machine, "hierarchy", part.ranks, 1, part.each)
        for basis in plan.told.facts:
            told.rest_on(basis)
        free = Price(algorithm="hardware", hardware_s=0.0)
        network = msgspec.structs.replace(plan.network, collectives={SYNCHRONISED: free, **(prices or {})})
        with tempfile.TemporaryDirectory(prefix="hakaru-by-node-") as folder:
            path = Path(folder) / f"{part.name}.schedule.json"
            path.write_bytes(msgspec.json.encode(_schedule(part)))
            found = self.engine.replay(path, network, Options(decision=self.mpi))
        took = {phase.name: phase.time_s.maximum for phase in found.phases}
        return {size: took[str(size)] for size in SIZES}


def _schedule(part: Part) -> Schedule:
    """One collective of each size, all ranks beginning it together."""
    root = 0 if part.name in ("broadcast", "reduce") else None
    operations: list[Operation] = []
    for size in SIZES:
        operations += [
            Operation(do=SYNCHRONISED, bytes=0),
            Operation(do="begin", phase=str(size)),
            Operation(do=part.name, bytes=size, root=root),
            Operation(do="end", phase=str(size)),
        ]
    return Schedule(
        schema=SCHEMA,
        program="",
        description=f"{part.name} of each size on {part.ranks} ranks",
        ranks=part.ranks,
        phases=tuple(Phase(name=str(size), kind="communicate") for size in SIZES),
        communicators=(Communicator(name="world"),),
        works=(),
        lists=(),
        streams=(Stream(ranks=((0, part.ranks - 1, 1),), operations=tuple(operations)),),
    )
