"""One question: this input, on that machine, with these choices; asked of the engine as two documents, answered as one outcome."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay import compute, noise, settable, teams
from hakaru.foretell.replay.by_node import with_parts
from hakaru.foretell.replay.calibration import Calibration
from hakaru.foretell.replay.carried import carried, share_of
from hakaru.foretell.replay.choices import LIBRARIES, LINKS, MODELS, WAYS
from hakaru.foretell.replay.documents.network import Network
from hakaru.foretell.replay.documents.options import Noise, Options, Roofline
from hakaru.foretell.replay.documents.result import Result
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.network import NetworkPlan, network_plan
from hakaru.foretell.replay.placement import placement
from hakaru.foretell.replay.sends import Change
from hakaru.foretell.replay.source import Source


@dataclass(frozen=True)
class Choices:
    """What a person chose beside the input and the machine."""

    model: str = MODELS[0]
    collectives: dict[str, str] = field(default_factory=dict)
    ranks_per_node: int | None = None
    way: str = WAYS[0]
    phases: tuple[str, ...] = ()
    traced_on: Machine | None = None
    noise: str | None = None
    seed: int | None = None
    calibration: Calibration | None = None
    sharing: bool = True
    links: str = LINKS[0]
    mpi: str = LIBRARIES[0]
    sends: Change | None = None
    bound: str = "value"  # of the calibration's factors: value, low or high


@dataclass(frozen=True)
class Documents:
    """What the engine is given, and what it rests on."""

    network: Network
    options: Options
    plan: NetworkPlan
    compute: compute.ComputePlan


@dataclass(frozen=True)
class Question:
    source: Source
    choices: Choices
    engine: Engine
    critical_path: bool = False
    archive: Path | None = None  # of what every rank does, which ask() writes

    def ask(self, machine: Machine) -> tuple[Documents, Result]:
        """What was asked on this machine and the engine's result. Raises UserError naming a fact that is missing."""
        ranks = self.source.ranks or self.engine.ranks(self.source.path)
        asked = self.documents(machine, ranks)
        try:
            return asked, self.engine.replay(
                self.source.path,
                asked.network,
                asked.options,
                archive=self.archive,
                sends=self.choices.sends,
            )
        except UserError as error:
            if asked.network.file_system or "file_system" not in str(error):
                raise
            raise UserError(
                f"the machine '{machine.name}' does not say storage.shared.write_bandwidth",
                "the program uses files",
                "set it with --set storage.shared.write_bandwidth=1GB/s",
            ) from None

    def documents(self, machine: Machine, ranks: int) -> Documents:
        """The engine's documents for this machine and so many ranks."""
        choices = self.choices
        plan = network_plan(
            machine,
            choices.model,
            ranks,
            self.source.threads,
            choices.ranks_per_node,
            choices.collectives,
            choices.sharing,
        )
        plan = with_parts(plan, machine, ranks, choices.collectives, choices.mpi, self.engine)
        computing = self._compute(machine, plan, ranks)
        options = self.options(computing, self._noise(machine, plan.told))
        if choices.links == LINKS[0] and plan.network.has_shared_links:
            plan.told.assume(
                "shared links serve one message after another; --links max_min divides them evenly, and takes longer"
            )
        return Documents(plan.network, options, plan, computing)

    def options(self, computing: compute.ComputePlan, interrupts: Noise | None) -> Options:
        rates = computing.rates
        return Options(
            compute_factor=computing.factor,
            critical_path=self.critical_path,
            sharing=self.choices.links,
            decision=self.choices.mpi,
            fork_s=computing.team.fork_s or None,
            phase_factor=computing.phase_factor,
            roofline=rates
            and Roofline(
                flop_rate=rates.flops_per_s,
                memory_bandwidth=rates.bytes_per_s,
                write_allocate=rates.write_allocate,
            ),
            noise=interrupts,
        )

    def _noise(self, machine: Machine, told: Told) -> Noise | None:
        choices, measured = self.choices, None
        if noise.asks_machine(choices.noise):
            calls = choices.noise != noise.MACHINE
            measured = noise.of_machine(machine, self.source.threads, told, calls)
        return noise.noise(choices.noise, settable.current(machine, settable.NOISE), choices.seed, measured)

    def time_s(self, machine: Machine) -> float:
        return replace(self, critical_path=False, archive=None).ask(machine)[1].makespan_s

    def ideal_s(self, asked: Documents) -> float:
        """Time when messages cost nothing and computing, noise and files cost what they do."""
        options = msgspec.structs.replace(asked.options, critical_path=False)
        found = self.engine.replay(self.source.path, asked.network.ideal(), options, sends=self.choices.sends)
        return found.makespan_s

    def with_sends(self, sends: Change | None) -> "Question":
        return replace(self, choices=replace(self.choices, sends=sends), archive=None)

    def _compute(self, machine: Machine, plan: NetworkPlan, ranks: int) -> compute.ComputePlan:
        choices, told = self.choices, plan.told
        factor = settable.current(machine, settable.COMPUTE)
        made = compute.ComputePlan(choices.way, 1.0 if factor is None else factor)
        if self.source.kind == "schedule":
            made.rates = compute.rates(machine, plan.placement, ranks, told, self.source.precision)
            if choices.way != "measured":  # what was measured holds the cost of its threads
                made.team = teams.team(machine, self.source.threads, told)
                made.factor *= 1.0 + made.team.imbalance
        if choices.way == "roofline":
            self._roofline(machine, plan, ranks, made)
        elif choices.way == "carried":
            self._carried(machine, ranks, made, told)
        elif choices.way == "measured":
            made.phase_factor = choices.calibration.bound(choices.bound)
        elif choices.way == "phases":
            made.phase_factor = compute.phase_factors(list(choices.phases), choices.traced_on, machine, told)
        made.text = compute.words(made, self.source.kind, machine, choices.traced_on)
        return made

    def _carried(self, machine: Machine, ranks: int, made: compute.ComputePlan, told: Told) -> None:
        """Measured times by the shares of memory and core that a rank has on both machines."""
        if self.source.kind == "schedule":
            return  # its work counts are priced by the target's rates as they are
        traced_on = self._traced_on("carrying compares two machines")
        before = Told()
        here = share_of(traced_on, ranks, self.source.threads, before)
        for fact in before.facts:
            told.rest_on(fact.named(f"{traced_on.name}: {fact.fact}"))
        there = share_of(machine, ranks, self.source.threads, told)
        made.carried = carried(1.0, None, here, there)
        made.factor *= made.carried.value

    def _traced_on(self, why: str) -> Machine:
        if self.choices.traced_on is None:
            raise UserError("the traced machine is not known", why, "name it with --from MACHINE")
        return self.choices.traced_on

    def _roofline(self, machine: Machine, plan: NetworkPlan, ranks: int, made: compute.ComputePlan) -> None:
        if self.source.kind == "schedule":
            return  # its work counts are priced by the target's rates as they are
        traced_on, told = self._traced_on("a roofline compares two machines"), plan.told
        if not self.source.work:
            why = "a roofline needs flops and bytes of each phase, and a trace does not hold them"
            raise UserError(
                "the work of this trace is not known",
                why,
                "name the program with --work PROGRAM,n=128, or give --compute-factor",
            )
        before = Told()
        placed = placement(traced_on, self.source.threads, None, before)
        source = compute.rates(traced_on, placed, ranks, before, self.source.precision)
        for fact in before.facts:
            told.rest_on(fact.named(f"{traced_on.name}: {fact.fact}"))
        target = compute.rates(machine, plan.placement, ranks, told, self.source.precision)
        factors, other = compute.roofline_factors(self.source.work, source, target)
        made.phase_factor = {phase: factor / other for phase, factor in factors.items()} if other else factors
        made.factor *= other
