"""The answer of ``hakaru predict``: the forecast, its memory, and what to ask a batch system for."""

import msgspec

from hakaru.base import units
from hakaru.base.errors import USAGE, UserError
from hakaru.base.output import print_json
from hakaru.facts.forecasts import Forecast, ForecastStore
from hakaru.facts.forecasts.forecast import SampleOfRun
from hakaru.foretell.forecast import advice, display, emptied, request
from hakaru.foretell.forecast.asking import Question, seconds_of
from hakaru.foretell.forecast.curve import with_curve
from hakaru.foretell.forecast.inverse import Found
from hakaru.foretell.forecast.sampling import sample as take_sample
from hakaru.tell.size_chart import size_chart


def answer(
    question: Question, as_json: bool, why: bool = False, sample: str | None = None, cold: bool = False
) -> int:
    """The exit code. ``sample``: for how long the run is sampled first. ``cold``: the measured sizes are run with empty caches first. Raises
    UserError for a question that nothing answers."""
    if cold:
        emptied.measure(question)
    sampled = _sampled(question, sample) if sample else None
    found = question.turned_round() if question.within else None
    made = with_curve(found.fits if found else question.forecast(), question)
    if sampled:
        made = msgspec.structs.replace(made, sample=sampled)
    if not made.refused:
        ForecastStore(question.folder).write(made)
    what_to_do = advice.next_step(made)
    if as_json:
        return _as_json(question, made, found, what_to_do)
    if made.refused:
        what = f"the time of {question.program} cannot be foretold from {question.folder}"
        raise UserError(what, made.extrapolation.reason, what_to_do)
    if found:
        _show_found(found, question)
    display.show_forecast(made, what_to_do, size_chart(made), why)
    for line in ask_for(made, question):
        print(line)
    return 0


def _sampled(question: Question, time: str) -> SampleOfRun:
    if question.within:
        raise UserError("--sample is given", "--within asks about many sizes", "sample one size")
    return take_sample(question, seconds_of("--sample", time))


def _as_json(question: Question, made: Forecast, found: Found | None, what_to_do: str) -> int:
    asked = None if made.refused else request.of(made, question.nodes or 1, repetitions(question)).as_dict()
    limit = {"within_s": question.within_s, "varied": found.what} if found else {}
    print_json(made.as_dict() | {"what_to_do": what_to_do, "request": asked} | limit)
    return USAGE if made.refused else 0


def repetitions(question: Question) -> int:
    """Of what is foretold in one job: the whole run of a stranger, the usual repetitions of one of ours."""
    program = question.found
    return 1 if program.brings_launcher else program.describe().usual.count(None, None)


def ask_for(made: Forecast, question: Question) -> list[str]:
    asked = request.of(made, question.nodes or 1, repetitions(question))
    lines = []
    if made.memory:
        rank, node = (units.capacity(one.value) for one in (made.memory.rank, made.memory.node))
        high = units.capacity(made.memory.node.high)
        lines.append(f"memory: {rank} of a rank, {node} of all ranks (up to {high})")
    else:
        lines.append("memory: not known, no run on as many ranks and threads said its own at three sizes")
    count = repetitions(question)
    whole = "" if count == 1 else f" for {count} repetitions"
    lines.append(f"ask{whole} for: {' '.join(asked.words())}")
    lines.append(
        f"        the upper end of the {100 * made.confidence:.0f} % interval, rounded up: "
        f"{_sure(made)} of 100 such runs end within it if the machine stays as it was measured"
    )
    return lines


def _sure(made: Forecast) -> str:
    """Of the upper end alone."""
    return f"{100 * (0.5 + 0.5 * made.confidence):.3g}"


def _show_found(found: Found, question: Question) -> None:
    made = found.fits
    limit = units.seconds(question.within_s)
    value = made.layout.ranks if found.what == "ranks" else made.parameters[found.what]
    what = "fewest ranks" if found.what == "ranks" else f"largest {found.what}"
    print(f"The {what} that surely end within {limit}: {value} (up to {units.seconds(made.time_s.high)})")
    if found.beyond:
        print(f"It could be more but for this: {found.beyond}.")
    elif found.too_long and not found.too_long.refused:
        other = found.too_long
        next_value = other.layout.ranks if found.what == "ranks" else other.parameters[found.what]
        print(f"With {next_value} it may take {units.seconds(other.time_s.high)}.")
