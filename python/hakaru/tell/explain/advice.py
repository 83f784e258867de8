"""What limits each program and what to do next, in plain words with the figures they rest on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.hidden_threads import hidden_threads
from hakaru.facts.records.record import STARTING
from hakaru.tell.explain.bounds import NEAR
from hakaru.tell.explain.conditions import Finding
from hakaru.tell.explain.forecasts import Comparison

if TYPE_CHECKING:
    from hakaru.tell.explain import CaseResult, LayoutResult

GOOD = 0.85
SATURATED = 0.9
SLOW_PRODUCT = 0.7
KIND_WORDS = {
    "communicate": "messages take",
    "io": "reading and writing files takes",
    "idle": "waiting for the slowest rank takes",
}


@dataclass(frozen=True)
class Advice:
    """``about`` is a case, the machine or the measurement; ``what`` was seen; ``do`` is the next step."""

    about: str
    what: str
    do: str


def advise(
    cases: list["CaseResult"], forecasts: list[Comparison], findings: list[Finding], machine: Machine
) -> list[Advice]:
    result = [Advice(f.title, f.detail, f.what_to_do) for f in findings if f.severity == "bad"]
    for case in longest_of_each_program(cases):
        result.append(limit(case))
        if choice := flat_or_hybrid(case):
            result.append(choice)
    result += _machine(machine)
    result += _forecasts(forecasts)
    result += [Advice(f.title, f.detail, f.what_to_do) for f in findings if f.severity != "bad"]
    return result


def longest_of_each_program(cases: list["CaseResult"]) -> list["CaseResult"]:
    """The case nearest to what people wait for: of each program the one with the longest best time."""
    longest: dict[str, CaseResult] = {}
    for case in cases:
        kept = longest.get(case.program)
        if kept is None or case.best.wall.value >= kept.best.wall.value:
            longest[case.program] = case
    return list(longest.values())


def limit(case: "CaseResult") -> Advice:
    """What limits the best layout: lost time first, then the bound of the longest computing phase."""
    best = case.best
    parallel = best.efficiency.parallel
    if parallel < GOOD:
        return _parallel_limit(case, best)
    scaling = best.efficiency.computation_scaling
    computing = [phase for phase in best.phases if phase.kind == "compute"]
    longest = max(computing, key=lambda phase: phase.mean_s)
    bound = next((bound for bound in best.bounds if bound.phase == longest.name), None)
    where = f"on {best.name} the phase “{longest.name}” takes {units.percent(longest.share)} of the time"
    if bound is None or bound.fraction is None:
        what = f"{where}; how near that is to the machine's bounds is not known"
        why = (
            "its work is not counted"
            if bound is None
            else "there is no machine file with peaks and bandwidths"
        )
        return Advice(case.label, f"{what} ({why})", _unknown_step(bound is None))
    reached = units.percent(bound.fraction)
    if bound.limit == "memory bandwidth" and best.fits_in_cache:
        what = f"{where} and works inside the cache, so neither memory nor arithmetic is its bound"
        return Advice(case.label, what, "use a size larger than the cache before judging the memory system")
    if bound.limit == "memory bandwidth" and bound.fraction > 1.0:
        what = f"{where} and moves {reached} of what memory delivers: part of its data stays in cache"
        return Advice(
            case.label, what, "nothing to gain from faster memory alone; look at the cache hierarchy first"
        )
    if bound.fraction >= NEAR:
        return _near_bound(case, where, bound, scaling)
    what = f"{where} and reaches {reached} of its bound ({bound.limit})"
    if scaling < GOOD:
        what += f"; cores slow each other down (computation scaling {units.percent(scaling)})"
    step = f"look in “{longest.name}” for strided access, short vectors, divisions and serial parts"
    return Advice(case.label, what, step)


def _unknown_step(uncounted: bool) -> str:
    return (
        "state the phase's flops and bytes in the program's description" if uncounted else "run hakaru probe"
    )


def _near_bound(case: "CaseResult", where: str, bound, scaling: float) -> Advice:
    if bound.limit == "memory bandwidth":
        drawn = units.percent(bound.fraction)
        what = f"{where} and draws {drawn} of the memory bandwidth of its cores: memory limits it"
        if scaling < GOOD:
            what += f", and cores share it (computation scaling {units.percent(scaling)})"
        step = "move fewer bytes a point (single precision, fused loops, blocking), or use more nodes"
        return Advice(case.label, what, step)
    what = f"{where} and reaches {units.percent(bound.fraction)} of the arithmetic peak: the cores limit it"
    return Advice(
        case.label, what, "only more cores, a faster clock or an algorithm with fewer operations will help"
    )


def _parallel_limit(case: "CaseResult", best: "LayoutResult") -> Advice:
    pop = best.efficiency
    lost = {kind: share for kind, share in best.kind_shares.items() if kind != "compute"}
    kind = max(lost, key=lambda name: lost[name])
    what = f"on {best.name} only {units.percent(pop.parallel)} of the core time computes"
    if pop.load_balance < pop.communication:
        step = "give the slow rank less work, or use fewer ranks with more threads each"
        return Advice(
            case.label,
            f"{what}; ranks have unequal work (load balance {units.percent(pop.load_balance)})",
            step,
        )
    if kind == "idle" and (starting := _starting(best)):
        what += f"; {STARTING} takes {units.percent(starting)} of the time"
        return Advice(
            case.label, what, "measure larger sizes or more steps: starting does not grow with the problem"
        )
    what += f"; {KIND_WORDS[kind]} {units.percent(lost[kind])} of the time"
    steps = {
        "communicate": "use a larger problem per rank, fewer and larger messages, or threads for ranks",
        "io": "write less often, or larger blocks",
        "idle": "find out why ranks end at different times: uneven work, or noise (hakaru doctor)",
    }
    return Advice(case.label, what, steps[kind])


def _starting(best: "LayoutResult") -> float:
    """Share of the time, where it is most of what is lost without a message or a file."""
    idle = {phase.name: phase.share for phase in best.phases if phase.kind == "idle"}
    share = idle.get(STARTING, 0.0)
    return share if 2.0 * share > sum(idle.values()) else 0.0


def flat_or_hybrid(case: "CaseResult") -> Advice | None:
    """Flat MPI against MPI + OpenMP at the largest core count that has both; overlapping intervals are too
    close to call.
    """
    fair = [layout for layout in case.layouts if not layout.oversubscribed and layout.cores > 1]
    for cores in sorted({layout.cores for layout in fair}, reverse=True):
        same = [layout for layout in fair if layout.cores == cores]
        flat = [layout for layout in same if layout.threads == 1]
        hybrid = [layout for layout in same if layout.threads > 1]
        if flat and hybrid:
            return _duel(case, flat[0], min(hybrid, key=lambda layout: layout.wall.value), cores)
    return None


def _duel(case: "CaseResult", flat: "LayoutResult", hybrid: "LayoutResult", cores: int) -> Advice:
    winner, loser = sorted((flat, hybrid), key=lambda layout: layout.wall.value)
    times = f"{units.seconds(winner.wall.value)} against {units.seconds(loser.wall.value)}"
    if winner.wall.high >= loser.wall.low:
        what = f"flat MPI or MPI + OpenMP on {cores} cores: too close to call ({winner.name}: {times})"
        return Advice(case.label, what, "use whichever needs less memory, or add repeats to decide")
    gain = units.percent(loser.wall.value / winner.wall.value - 1.0)
    what = f"{winner.style} wins on {cores} cores: {winner.name} takes {times}; the other needs {gain} longer"
    return Advice(case.label, what, f"run this size as {winner.name}")


def _machine(machine: Machine) -> list[Advice]:
    if not machine.known:
        return [Advice("machine", "nothing is known about this machine's bounds", "run hakaru probe")]
    result = []
    rates = {fact.keys["cores"]: fact.value for fact in machine.values("memory", "bandwidth") if _triad(fact)}
    if len(rates) > 1 and 1 in rates:
        most = max(rates.values())
        enough = min(cores for cores, rate in rates.items() if rate >= SATURATED * most)
        if enough < max(rates):
            drawn = units.percent(rates[enough] / most)
            what = f"{units.count(enough, 'core')} can draw {drawn} of the memory bandwidth"
            result.append(Advice("machine", what, "expect no gain from further cores in memory-bound phases"))
    if shared := hidden_threads(machine):
        step = "compare half as many ranks with as many as there are cores: two may run on one core"
        result.append(Advice("machine", shared.words, step))
    peaks = machine.values("compute", "fma_peak")
    for product in machine.values("compute", "dgemm"):
        fma = [fact for fact in peaks if fact.about(cores=product.keys.get("cores"))]
        if fma and product.value < SLOW_PRODUCT * fma[0].value:
            ratio = units.percent(product.value / fma[0].value)
            on = units.count(product.keys["cores"], "core")
            what = f"the matrix product reaches only {ratio} of the measured peak on {on}"
            step = (
                "the BLAS probably picked a kernel for an older processor: use BLIS, or set OPENBLAS_CORETYPE"
            )
            result.append(Advice("machine", what, step))
            break
    return result


def _triad(fact: Fact) -> bool:
    return fact.keys.get("kernel", "triad") == "triad" and "cores" in fact.keys


def _forecasts(forecasts: list[Comparison]) -> list[Advice]:
    result = []
    for forecast in forecasts:
        title = f"forecast for {forecast.label} on {forecast.layout}"
        if forecast.flag != "ok" and forecast.measured is None:
            what = f"it leaves the measured range ({forecast.reason or forecast.flag})"
            result.append(
                Advice(title, what, "measure one larger size first, or state the growth with --growth")
            )
        if forecast.inside is False:
            what = f"the run took {units.seconds(forecast.measured.value)}, outside the predicted interval"
            result.append(Advice(title, what, "trust this model less: add a size near the one you need"))
        elif forecast.measured is None:
            result.append(
                Advice(title, "no run has met it yet", "make the run; hakaru then scores the forecast")
            )
    return list(dict.fromkeys(result))
