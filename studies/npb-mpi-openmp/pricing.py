"""One layout of one program on one node: its network, its rates, and the replay."""

from dataclasses import dataclass, field

from msgspec.structs import replace

from hakaru.facts.machines import Machine
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.copies import SELF
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.documents.network import Level, Link, SizeClass
from hakaru.foretell.replay.documents.options import Roofline
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.network import NetworkPlan, network_plan
from hakaru.foretell.replay.topology import MESSAGE_TRAFFIC
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.replays import UNLIMITED_BYTES_PER_S, Bench, Replayed, machine_named
from hakaru.studies.study import Study

from . import teams
from .settings import Kernel, Node, Number, Settings

ROOFLINE, SLOWER, FASTER = "", "slower computing", "faster computing"
ONE_MEMORY, FREE = "one memory", "free messages"
INSIDE = ("core", "socket")  # distances inside a node


@dataclass(frozen=True)
class Layout:
    ranks: int
    threads: int

    def __str__(self) -> str:
        return f"{self.ranks}x{self.threads}"


@dataclass(frozen=True)
class Priced:
    """A replay and the team's part of it: ``regions`` of threads of a rank, ``fork_s`` each; ``imbalance`` as a factor on computing."""

    layout: Layout
    replayed: Replayed
    regions: int
    fork_s: float
    imbalance: float

    @property
    def time_s(self) -> float:
        return self.replayed.time_s

    @property
    def work_s(self) -> float:
        """Computing without regions of threads."""
        return self.replayed.parts_s["compute"] - self.forks_s

    @property
    def copies(self) -> float:
        """Share of the time that one rank's own thread copies, or adds alone."""
        return 1.0 - self.replayed.shares["compute"]

    @property
    def forks_s(self) -> float:
        return self.regions * self.fork_s


@dataclass
class Benches:
    """Each schedule is written and read once."""

    context: Context
    settings: Settings
    known: dict[tuple[str, int], Bench] = field(default_factory=dict)

    def of(self, program: Entry, ranks: int) -> Bench:
        """Raises UserError where the program cannot run so."""
        key = program.application, ranks
        if key not in self.known:
            path = self.context.schedule_of(program.changed(ranks=ranks))
            self.known[key] = Bench(self.context.engine, path, self.settings.network, self.settings.links)
        return self.known[key]


def layouts_of(node: Node) -> list[Layout]:
    """One rank a core first, one rank of all last."""
    counts = sorted({node.cores, 1, *node.mixes}, reverse=True)
    return [Layout(ranks, node.cores // ranks) for ranks in counts]


def published(study: Study[Settings], number: Number) -> float:
    return study.published.number(number.table, number.key, number.row, number.column)


def stage_s(study: Study[Settings], node: Node) -> float:
    """Of a region of threads, for each level of the tree."""
    asked = study.settings.overheads
    cells = study.published.row(asked.table, asked.key, node.fork)
    return 1e-6 * cells[asked.column] / teams.levels(int(cells[asked.threads]))


def operations_a_cycle(study: Study[Settings]) -> float:
    """Of a core, from the published rate."""
    rate = study.settings.rate
    return published(study, rate.number) / rate.cores / machine_named(rate.machine).number("processor.clock")


def priced(
    study: Study[Settings], benches: Benches, node: Node, program: Entry, layout: Layout, way: str = ROOFLINE
) -> Priced:
    """Raises UserError where the program cannot run so."""
    lender = machine_named(study.settings.messages_of)
    machine = with_messages(machine_named(node.machine), lender)
    bench = benches.of(program, layout.ranks)
    kernel = study.settings.kernels[program.application]
    plan = network_plan(machine, study.settings.network, layout.ranks, layout.threads, layout.ranks)
    factor = teams.imbalance(kernel, layout.ranks, layout.threads)
    fork = teams.fork_s(stage_s(study, node), layout.threads)
    changed = {SLOWER: study.settings.other, FASTER: 1.0 / study.settings.other}
    options = Options(
        compute_factor=factor * changed.get(way, 1.0),
        roofline=roofline(study, machine, plan, kernel, layout, way),
        sharing=study.settings.links,
        decision=study.settings.mpi,
        fork_s=fork or None,
    )
    network = shared_memory(machine, plan, lone_copies(machine, plan.network, lender), layout)
    found = bench.timed(network.ideal() if way == FREE else network, options)
    return Priced(layout, found, teams.regions(bench.document), fork, factor)


def with_messages(machine: Machine, lender: Machine) -> Machine:
    """The machine, with the lender's messages between cores and sockets where it has none."""
    if machine.has("network.core"):
        return machine
    lent = {level: lender.tree["network"][level] for level in INSIDE}
    return Machine.of(machine.tree | {"network": machine.tree.get("network", {}) | lent})


def lone_copies(machine: Machine, network: Network, lender: Machine) -> Network:
    """A rank that copies to itself does so by one core while others wait: at the machine's rate of one core where that is known, else as a
    message between two cores moves, without its latency."""
    if any(fact.keys.get("cores") == 1 for fact in machine.facts("memory.bandwidth")):
        return network
    per_byte = lender.number("network.core.gap_per_byte")
    own = Level(latency_s=0.0, gap_per_byte=(SizeClass(value_s=per_byte),))
    return replace(network, levels=network.levels | {SELF: own})


def shared_memory(machine: Machine, plan: NetworkPlan, network: Network, layout: Layout) -> Network:
    """Messages share the memory of the cores in use, not that of the whole node."""
    if network.node is None or network.node.memory is None:
        return network
    rate = compute.rates(machine, plan.placement, layout.ranks, Told()).bytes_per_s * layout.ranks
    memory = Link(rate_bytes_per_s=rate / MESSAGE_TRAFFIC)
    return replace(network, node=replace(network.node, memory=memory))


def roofline(
    study: Study[Settings], machine: Machine, plan: NetworkPlan, kernel: Kernel, layout: Layout, way: str
) -> Roofline:
    """Of one rank."""
    if kernel.published_rate:
        core = operations_a_cycle(study) * machine.number("processor.clock")
        return Roofline(flop_rate=core * layout.threads, memory_bandwidth=UNLIMITED_BYTES_PER_S)
    rates = compute.rates(machine, plan.placement, layout.ranks, Told())
    share = 1.0 / memories(machine, layout.threads) if way == ONE_MEMORY else 1.0
    return Roofline(
        flop_rate=rates.flops_per_s,
        memory_bandwidth=share * rates.bytes_per_s,
        write_allocate=rates.write_allocate,
    )


def memories(machine: Machine, threads: int) -> int:
    """Memory nodes that the cores of one rank span."""
    cores, nodes = machine.number("processor.cores"), machine.number("processor.memory_nodes")
    return max(round(threads * nodes / cores), 1)
