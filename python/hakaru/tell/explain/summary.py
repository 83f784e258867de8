"""The summary of at most ten lines that a tired person understands."""

from typing import TYPE_CHECKING

from msgspec import UNSET

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.tell.explain import advice
from hakaru.tell.explain.forecasts import Comparison

if TYPE_CHECKING:
    from hakaru.tell.explain import CaseResult, Explanation

LINES = 10


def summary_lines(explanation: "Explanation", machine: Machine) -> list[str]:
    """Plain text, the most important first, never more than ten lines: machine, programs, forecasts, trust,
    next step.
    """
    head = [machine_line(machine)]
    forecasts = _forecast_lines(explanation)[-2:]
    tail = [*forecasts, _trust(explanation), _next(explanation)]
    room = LINES - len(head) - len(tail)
    return [*head, *_program_lines(explanation, room), *tail]


def machine_line(machine: Machine) -> str:
    if not machine.known:
        return "Machine: not probed yet, so times cannot be compared with what it could do."
    cores = machine.cores or 1
    parts = [units.count(cores, "core")]
    if peak := machine.peak(cores):
        parts.append(units.quantity(peak.value, "flop/s"))
    if memory := machine.bandwidth(cores, write_allocate=False):
        parts.append(f"memory {units.quantity(memory.value, 'B/s')}")
    known = [level for level in machine.levels if level.latency]
    if known:
        parts.append(f"latency {units.seconds(known[-1].latency)} to {known[-1].name}")
    if message := machine.pingpong_s(8):
        parts.append(f"small message {units.seconds(message)}")
    return f"Machine {machine.name}: {', '.join(parts)}."


def _program_lines(explanation: "Explanation", room: int) -> list[str]:
    """Two lines for the largest case of each program: how fast, and what limits it; one line where room is
    short.
    """
    largest = advice.longest_of_each_program(explanation.cases)
    if not largest:
        return ["Programs: no successful run yet."]
    both = 2 * len(largest) <= room
    lines = []
    for case in largest:
        lines.append(_speed(case))
        if both:
            lines.append(f"  {advice.limit(case).what}.")
    if len(lines) > room:
        lines = [*lines[: room - 1], f"and {len(lines) - room + 1} more programs: see the report."]
    return lines


def _speed(case: "CaseResult") -> str:
    best = case.best
    text = f"{case.label}: {units.seconds(best.wall.value)} on {best.name}"
    if best.scaling.ideal_speed_up > 1.0:
        reference = units.count(best.scaling.reference_cores, "core")
        text += f", {best.scaling.speed_up.value:.2f} x as fast as {reference}"
    choice = advice.flat_or_hybrid(case)
    if choice and "too close" in choice.what:
        text += "; flat or hybrid: too close to call"
    elif choice:
        text += f"; {choice.what.split(' wins')[0]} wins"
    return text + "."


def _forecast_lines(explanation: "Explanation") -> list[str]:
    lines = []
    for forecast in explanation.forecasts:
        text = f"Forecast {forecast.label} on {forecast.layout}: {forecast.sentence}"
        if forecast.measured:
            verdict = "inside" if forecast.inside else "OUTSIDE"
            text += f"; the run took {units.seconds(forecast.measured.value)}"
            text += f" (error {units.signed_percent(forecast.error)}, {verdict} the interval){_state_met(forecast)}."
        else:
            text += "; not yet checked against a run."
        lines.append(text)
    return lines or ["Forecast: none made yet."]


def _state_met(forecast: Comparison) -> str:
    """Where a forecast is of one of the machine's two states and not all launches met it: what those took that did."""
    met = forecast.measured
    if met.in_state is UNSET or met.in_state == met.launches or not forecast.usual:
        return ""
    if not met.in_state:
        return ", though no launch met the machine's usual state"
    error = units.signed_percent(forecast.usual.value / met.left_alone_s - 1.0)
    of = f"{met.in_state} of {met.launches} launches"
    return f"; in its usual state, which {of} met, {units.seconds(met.left_alone_s)} ({error})"


def _trust(explanation: "Explanation") -> str:
    passed = sum(case.verified.passed for case in explanation.cases)
    bad = [finding.title for finding in explanation.findings if finding.severity == "bad"]
    mind = [finding.title for finding in explanation.findings if finding.severity != "bad"]
    track = explanation.track_record
    text = f"Trust: {units.count(passed, 'verification')} passed" if passed else "Trust: nothing was verified"
    if track.scored:
        text += f"; {track.inside} of {units.count(track.scored, 'forecast')} held"
    if bad or mind:
        text += f"; mind: {', '.join([*bad, *mind][:2])}"
    return text + "."


def _next(explanation: "Explanation") -> str:
    if not explanation.advice:
        return "Next: hakaru run."
    first = explanation.advice[0]
    return f"Next ({first.about}): {first.do}."
