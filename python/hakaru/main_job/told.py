"""What ``hakaru accuracy --forecasts`` prints: misses first."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.base.tables import print_table
from hakaru.facts.records import RecordStore
from hakaru.facts.records.provenance import now_text
from hakaru.main_job.forecasts import GROWTH, SAMPLE, Checked, Round, Told, check_forecasts
from hakaru.main_job.session import session_name
from hakaru.run.campaign.progress import progress_for_terminal

FORETOLD = ["run, N, ranks x threads", "foretold", "took", "error", "usual", "95 %", "runs"]
BY_GROWTH = " *"


def of_forecasts(results: str | None, launches: int, which: str, as_json: bool) -> None:
    """Makes many forecasts, then their runs, and tells how wrong they were."""
    store = RecordStore(results_folder(results))
    session, progress = session_name(store, False), progress_for_terminal()
    checked = check_forecasts(store, session, launches, Round(which), progress)
    if not checked:
        raise UserError(
            "no forecast met a run", "the data carried none", "look at hakaru predict PROGRAM for the reason"
        )
    told = Told.of(checked)
    if as_json:
        print_json(
            {"made": now_text(), "summary": told.as_dict(), "forecasts": [asdict(one) for one in checked]}
        )
        return
    rows = [_foretold(one) for one in checked]
    print_table(
        f"Forecasts of usual times and their runs, {now_text()}", FORETOLD, rows, right=(1, 2, 3, 5, 6)
    )
    if any(one.rests_on == GROWTH for one in checked):
        print(f"{BY_GROWTH} rests on growth and facts; others on a sample of the wanted size")
    for line in [*sentences(told), *by_kind(checked)]:
        print(line)


def sentences(told: Told) -> list[str]:
    """The whole, misses first."""
    rarer = f"{told.elsewhere} of {told.runs} runs met the rarer state of the machine, which usual times are not of"
    missed, far = told.forecasts - told.usual_inside, told.forecasts - told.near
    return [
        f"{missed} of {told.forecasts} usual times outside their 95 % interval; {far} more than 10 % off; "
        f"{told.runs - told.runs_inside} of {told.runs} runs outside the interval of any one run",
        f"usual time: median error {told.median_error:.1%}, intervals held {told.usual_inside / told.forecasts:.0%}, "
        f"half as wide as {told.median_width:.0%} (median); any one run: held {told.runs_inside / told.runs:.0%}",
        f"intervals of {_percents(level for level, _ in told.calibration)} held {_percents(share for _, share in told.calibration)}",
        f"the launches of one run tell its own median to ±{told.median_measured_width:.0%} (median of their 95 % intervals): "
        "no forecast can be held to less",
        *([rarer] if told.elsewhere else []),
    ]


def by_kind(checked: Sequence[Checked]) -> list[str]:
    """Forecasts that rest on samples and those that do not, each by themselves where there are both."""
    kinds = {kind: [one for one in checked if one.rests_on == kind] for kind in (SAMPLE, GROWTH)}
    if not all(kinds.values()):
        return []
    words = {SAMPLE: "a sample of the wanted size", GROWTH: "growth and facts"}
    return [_of_kind(words[kind], Told.of(own)) for kind, own in kinds.items()]


def _of_kind(kind: str, told: Told) -> str:
    return (
        f"resting on {kind}: {told.forecasts - told.usual_inside} of {told.forecasts} outside, "
        f"{told.forecasts - told.near} more than 10 % off, median error {told.median_error:.1%}, "
        f"intervals half as wide as {told.median_width:.0%}"
    )


def _percents(shares: Iterable[float]) -> str:
    *first, last = [f"{100.0 * share:.0f}" for share in shares]
    return f"{', '.join(first)} and {last} %" if first else f"{last} %"


def _foretold(one: Checked) -> list[str]:
    return [
        f"{one.program} {one.size:.4g} {one.layout.replace(' ', '')}{BY_GROWTH if one.rests_on == GROWTH else ''}",
        units.seconds(one.foretold_s),
        units.seconds(one.measured_s),
        f"{one.error:+.1%}",
        "held" if one.usual_inside else "MISSED",
        f"±{one.usual_width:.0%}",
        f"{one.runs_inside}/{one.launches}",
    ]
