"""One question: this input, on that machine, with these choices; asked of the engine as two documents, answered as one outcome."""

from dataclasses import dataclass, field, replace
from typing import Any

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay import compute, document, noise, settable, teams
from hakaru.foretell.replay.calibration import Calibration
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.network import NetworkPlan, network_plan
from hakaru.foretell.replay.placement import placement
from hakaru.foretell.replay.source import Source


@dataclass(frozen=True)
class Choices:
    """What a person chose beside the input and the machine."""

    model: str = "hierarchy"
    collectives: dict[str, str] = field(default_factory=dict)
    ranks_per_node: int | None = None
    way: str = "factor"
    phases: tuple[str, ...] = ()
    traced_on: Machine | None = None
    noise: str | None = None
    seed: int | None = None
    calibration: Calibration | None = None
    sharing: bool = True
    links: str = document.LINKS[0]
    mpi: str = document.LIBRARIES[0]
    bound: str = "value"  # of the calibration's factors: value, low or high


@dataclass(frozen=True)
class Documents:
    """What the engine is given, and what it rests on."""

    network: dict[str, Any]
    options: dict[str, Any]
    plan: NetworkPlan
    compute: compute.ComputePlan


@dataclass(frozen=True)
class Question:
    source: Source
    choices: Choices
    engine: Engine
    critical_path: bool = False

    def ask(self, machine: Machine) -> tuple[Documents, dict[str, Any]]:
        """What was asked on this machine and the engine's result. Raises UserError naming a fact that is missing."""
        ranks = self.source.ranks or self.engine.ranks(self.source.path)
        asked = self.documents(machine, ranks)
        try:
            return asked, self.engine.replay(self.source.path, asked.network, asked.options)
        except UserError as error:
            if "file_system" in asked.network or "file_system" not in str(error):
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
        computing = self._compute(machine, plan, ranks)
        options = document.options(
            computing, self._noise(machine, plan.told), self.critical_path, choices.links, choices.mpi
        )
        if choices.links == document.LINKS[0] and ({"node", "topology"} & plan.document.keys()):
            plan.told.assume(
                "shared links serve one message after another; --links max_min divides them evenly, and takes much longer"
            )
        return Documents(plan.document, options, plan, computing)

    def _noise(self, machine: Machine, told: Told) -> dict[str, Any] | None:
        choices, measured = self.choices, None
        if choices.noise == noise.MACHINE:
            measured = noise.of_machine(machine, self.source.threads, told)
        return document.noise(
            choices.noise, settable.current(machine, settable.NOISE), choices.seed, measured
        )

    def time_s(self, machine: Machine) -> float:
        return document.makespan_s(replace(self, critical_path=False).ask(machine)[1])

    def ideal_s(self, asked: Documents) -> float:
        """Time when messages cost nothing and computing, noise and files cost what they do."""
        network = document.ideal_network(asked.network)
        options = asked.options | {"critical_path": False}
        return document.makespan_s(self.engine.replay(self.source.path, network, options))

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
        elif choices.way == "measured":
            made.phase_factor = choices.calibration.bound(choices.bound)
        elif choices.way == "phases":
            made.phase_factor = compute.phase_factors(list(choices.phases), choices.traced_on, machine, told)
        made.text = compute.words(made, self.source.kind, machine, choices.traced_on)
        return made

    def _roofline(self, machine: Machine, plan: NetworkPlan, ranks: int, made: compute.ComputePlan) -> None:
        if self.source.kind == "schedule":
            return  # its work counts are priced by the target's rates as they are
        traced_on, told = self.choices.traced_on, plan.told
        if traced_on is None:
            raise UserError(
                "the traced machine is not known",
                "a roofline compares two machines",
                "name it with --from MACHINE",
            )
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
            told.fact(
                f"{traced_on.name}: {fact['fact']}",
                Fact.of({key: fact[key] for key in fact if key != "fact"}),
            )
        target = compute.rates(machine, plan.placement, ranks, told, self.source.precision)
        factors, other = compute.roofline_factors(self.source.work, source, target)
        made.phase_factor = {phase: factor / other for phase, factor in factors.items()} if other else factors
        made.factor *= other
