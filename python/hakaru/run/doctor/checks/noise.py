"""Interference measured directly: the same work again and again, as in the fixed-work-quantum benchmark."""

from statistics import median

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "noise"

DURATION_S = 1.6  # over all cores that are tried
CORES_AT_MOST = 4
LOST_LIMIT = 0.03
INTERRUPTION_LIMIT_S = 5e-3


def check(system: System) -> Finding:
    """``lost`` = (mean - minimum) / minimum on the worst core: what the same work cost in excess."""
    cores = system.usable_processors()[:CORES_AT_MOST]
    by_core = {core: system.fixed_work_s(core, DURATION_S / len(cores)) for core in cores}
    by_core = {core: samples for core, samples in by_core.items() if len(samples) > 10}
    if not by_core:
        return unavailable(
            "too few repetitions of the fixed work ran in the time allowed", "look at the load"
        )
    lost = {core: sum(samples) / len(samples) / min(samples) - 1.0 for core, samples in by_core.items()}
    worst = max(lost, key=lost.get)
    longest_s = max(max(samples) - min(samples) for samples in by_core.values())
    fastest = [median(samples) for samples in by_core.values()]
    spread = max(fastest) / min(fastest) - 1.0
    figures = {"lost": lost[worst], "longest_interruption_s": longest_s, "spread_between_cores": spread}
    found = f"{lost[worst]:.1%} of core {worst} lost, longest interruption {longest_s * 1e3:.2g} ms"
    if spread > LOST_LIMIT:
        found += f", cores differ by {spread:.1%}"
    if max(lost[worst], spread) <= LOST_LIMIT and longest_s <= INTERRUPTION_LIMIT_S:
        return fine(found, **figures)
    return bad(found, "stop other programs; repeat, interleave, compare as ratios", **figures)
