"""How long computing takes on the target: by a factor, by a roofline of the two machines, by named phases or by measured kernels.

Roofline (Williams, Waterman and Patterson, CACM 52(4), 2009), per rank with its share of a node's cores, W flops and Q bytes:

    t(machine) = max(W / peak, Q / bandwidth),     factor of a phase = t(target) / t(traced)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import at_cores
from hakaru.foretell.replay.choices import WAYS
from hakaru.foretell.replay.documents.answer import Computing, RatesOfRank, Team
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import Placement

KERNEL = "kernel:"


@dataclass(frozen=True)
class Rates:
    """What one rank gets when all ranks of its node compute; flop/s and B/s."""

    flops_per_s: float
    bytes_per_s: float
    write_allocate: bool


@dataclass
class ComputePlan:
    """Factors on computing times; ``rates`` price work counts of a schedule."""

    way: str = WAYS[0]
    factor: float = 1.0
    phase_factor: dict[str, float] = field(default_factory=dict)
    rates: Rates | None = None
    team: Team = field(default_factory=Team)
    text: str = ""
    carried: Span | None = None  # of the factor, where nobody counted the work

    def told(self) -> Computing:
        """As an answer says it."""
        rates = self.rates and RatesOfRank(
            flops_per_s=self.rates.flops_per_s, bytes_per_s=self.rates.bytes_per_s
        )
        return Computing(
            way=self.way,
            factor=self.factor,
            phase_factor=self.phase_factor,
            rates=rates,
            team=self.team,
            text=self.text,
        )


def rates(machine: Machine, placement: Placement, ranks: int, told: Told, precision: str = "double") -> Rates:
    """Peak and memory bandwidth of one rank of so many. Raises UserError naming the fact that is missing."""
    sharing = min(placement.ranks_per_node, ranks)
    busy = min(sharing * placement.threads, placement.cores)
    peak = _peak(machine, busy, precision, told)
    bandwidth, write_allocate = _bandwidth(machine, busy, told)
    return Rates(peak / sharing, bandwidth / sharing, write_allocate)


def _peak(machine: Machine, cores: int, precision: str, told: Told) -> float:
    """Rate of so many cores: that of the nearest count, in proportion to the cores."""
    found = machine.peak(cores, precision) or at_cores(machine.values("compute", "peak"), cores, "peak")
    if found is None:
        raise _missing(machine, "compute.fma_peak or compute.peak")
    told.fact(f"compute.{found.name}", found.plain)
    if "precision" in found.note:
        told.assume(found.note)
    if found.cores != cores:
        told.assume(f"the peak of {cores} cores is that of {found.cores} in proportion")
    return found.value * cores / found.cores


def _bandwidth(machine: Machine, cores: int, told: Told) -> tuple[float, bool]:
    """Memory bandwidth of so many cores, and whether it counts the read of written lines."""
    found, allocate = machine.bandwidth(cores, write_allocate=True), True
    if found is None:
        found, allocate = machine.bandwidth(cores, write_allocate=False), False
    name = "bandwidth_write_allocate" if allocate else "bandwidth"
    if found is None:
        found = at_cores(machine.values("memory", "bandwidth_peak"), cores, "peak")
        name = "bandwidth_peak"
    if found is None:
        raise _missing(machine, "memory.bandwidth")
    told.fact(f"memory.{name}", found.plain)
    if found.cores != cores:
        told.assume(f"the memory bandwidth of {cores} cores is that of {found.cores}")
    return found.value, allocate


def _missing(machine: Machine, what: str) -> UserError:
    return UserError(
        f"the machine '{machine.name}' does not say {what}",
        "a roofline needs the peak and the memory bandwidth",
        "give --compute-factor instead, or another machine",
    )


def roofline_s(counts: Mapping[str, float], rates: Rates) -> float:
    """Least time of {"flops", "bytes", "bytes_write_allocate"} at these rates."""
    allocate = rates.write_allocate and counts.get("bytes_write_allocate")
    moved = counts["bytes_write_allocate"] if allocate else counts.get("bytes", 0.0)
    return max(counts.get("flops", 0.0) / rates.flops_per_s, moved / rates.bytes_per_s)


def roofline_factors(
    work: Mapping[str, Mapping[str, float]], source: Rates, target: Rates
) -> tuple[dict[str, float], float]:
    """Factor of each phase with work counts {phase: {"flops", "bytes", "bytes_write_allocate"}}, and of all work together."""

    factors, totals = {}, [0.0, 0.0]
    for phase, counts in work.items():
        before, after = roofline_s(counts, source), roofline_s(counts, target)
        if before > 0.0:
            factors[phase] = after / before
            totals[0] += before
            totals[1] += after
    return factors, totals[1] / totals[0] if totals[0] else 1.0


def kernel_factor(name: str, source: Machine, target: Machine, told: Told) -> float:
    """Rate of a kernel on the traced machine over that on the target: compute.kernels of the same name, precision and cores."""

    def kernels(machine: Machine) -> dict[tuple, Fact]:
        return {
            (fact.keys.get("precision", "double"), fact.keys.get("cores", 1)): fact
            for fact in machine.values("compute", "kernels")
            if fact.about(kernel=name)
        }

    ours, theirs = kernels(source), kernels(target)
    shared = sorted(ours.keys() & theirs.keys(), key=lambda key: (key[1], key[0] != "double"))
    if not shared:
        names = {
            fact.keys.get("kernel", "") for of in (source, target) for fact in of.values("compute", "kernels")
        }
        raise UserError(
            f"the kernel '{name}' was not measured alike on '{source.name}' and '{target.name}'",
            f"kernels there: {', '.join(sorted(names)) or 'none'}",
            "give a factor instead",
        )
    one, other = ours[shared[0]], theirs[shared[0]]
    for machine, fact in ((source, one), (target, other)):
        told.fact(f"{machine.name}: compute.kernels", fact)
    return one.value / other.value


def phase_factors(words: list[str], source: Machine | None, target: Machine, told: Told) -> dict[str, float]:
    """{"stencil": 0.5} of ``stencil=0.5`` or ``stencil=kernel:NAME``. Raises UserError for anything else."""
    result = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not equals or not name or not text:
            raise UserError(
                f"'{word}' is not understood", "a phase gets a factor", "write --phase stencil=0.5"
            )
        if text.startswith(KERNEL):
            if source is None:
                raise UserError(
                    "the traced machine is not known",
                    "a kernel's rates are compared",
                    "name it with --from MACHINE",
                )
            result[name] = kernel_factor(text.removeprefix(KERNEL), source, target, told)
            continue
        try:
            result[name] = float(text)
        except ValueError:
            result[name] = -1.0
        if not 0.0 <= result[name] < float("inf"):
            raise UserError(
                f"'{text}' is no factor of the phase '{name}'",
                "it multiplies its time",
                "write --phase stencil=0.5",
            )
    return result


def words(plan: ComputePlan, kind: str, machine: Machine, traced_on: Machine | None) -> str:
    """How computing was priced, for people."""
    times = f"times {plan.factor:.3g}" if plan.factor != 1.0 else "as they were"
    if plan.way == "measured":
        text = f"work counts by the roofline of '{machine.name}', times what the phases took over theirs where they were measured"
    elif kind == "schedule":
        text = f"work counts by the roofline of '{machine.name}', the least time they can take"
        text += f", {times}" if plan.factor != 1.0 else ""
        text += f", and {plan.team.fork_s * 1e6:.3g} us to start the threads" if plan.team.fork_s else ""
    elif plan.way == "carried":
        ends = plan.carried
        text = f"measured times carried from '{traced_on.name}' to '{machine.name}', {times}: the work of the trace is not counted, "
        text += f"so that it lies between {ends.low:.3g} (what the better of memory and core gives) and {ends.high:.3g}"
    elif plan.way == "roofline":
        text = f"measured times scaled by the rooflines of '{traced_on.name}' and '{machine.name}', phase by phase"
    else:
        text = f"measured times {times}"
    if plan.phase_factor:
        shown = ", ".join(f"{name} {factor * plan.factor:.3g}" for name, factor in plan.phase_factor.items())
        text += f" ({shown}; everything else {plan.factor:.3g})"
    return text
