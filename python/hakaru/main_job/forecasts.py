"""How wrong forecasts are: many made before the runs, then the runs, then what held and what did not."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from msgspec import UNSET

from hakaru.facts.forecasts import Forecast, ForecastStore
from hakaru.facts.forecasts.calibration import counted
from hakaru.facts.records import RecordStore
from hakaru.main_job.job import predict_missing, score
from hakaru.main_job.plans import MainPlan, load_main_plan
from hakaru.main_job.probing import probe_machine
from hakaru.main_job.session import campaign_of
from hakaru.run.campaign.plan import Plan, points_of
from hakaru.run.campaign.progress import Progress
from hakaru.run.campaign.runner import run_plan, states_of

NEAR = 0.1  # relative error of the usual time
TURN_S = 60.0  # least time from one turn of launches to the next where memory decides: its states last for 20 to 80 s on shared hosts
SAMPLE, GROWTH = "sample", "growth"


class Round(StrEnum):
    """What is foretold: from samples of all programs that have steps, from smaller sizes alone, from sizes that fit into caches alone,
    and what these miss from samples that do not fit."""

    SAMPLES = "samples"
    GROWTH = "growth"
    CACHES = "caches"
    CACHES_SAMPLE = "caches-sample"

    @property
    def plan(self) -> MainPlan:
        plan = load_main_plan(Path(__file__).with_name(f"forecasts_{self}.toml"))
        if self is not Round.CACHES:
            return plan
        return replace(plan, cold=plan.programs.model_copy(update={"name": "forecasts-cold", "cold": True}))

    @property
    def programs(self) -> list[str]:
        """What is to be built."""
        plan = self.plan
        return [run.program for part in (plan.probes, plan.programs) for run in part.runs]


@dataclass(frozen=True)
class Checked:
    """A forecast beside its runs. ``error``: of the usual time, foretold over measured less 1; widths are half of an interval over its
    value; ``runs_inside`` of ``launches``, of which ``elsewhere`` met the machine's rarer state and tell no usual time; ``layout``: ranks x
    threads; ``work_factor``: work over that of the largest run behind it."""

    program: str
    size: float
    layout: str
    foretold_s: float
    measured_s: float
    error: float
    usual_inside: bool
    usual_width: float
    runs_inside: int
    launches: int
    work_factor: float | None
    held_by_level: dict[float, bool]
    rests_on: str = GROWTH
    elsewhere: int = 0
    measured_width: float = 0.0  # of the interval of the runs' own median, half of it over the median

    @classmethod
    def of(cls, made: Forecast) -> "Checked":
        """Of a scored forecast that says what runs usually take."""
        measured, usual = made.score.measured, made.usual_s
        measured_s = measured.left_alone_s or measured.value
        return cls(
            made.program,
            made.size,
            f"{made.layout.ranks} x {made.layout.threads}",
            usual.value,
            measured_s,
            usual.value / measured_s - 1.0,
            usual.holds(measured_s),
            (usual.high - usual.low) / (2.0 * usual.value),
            made.score.runs_inside or 0,
            measured.launches,
            1.0 / made.sample.share if made.sample else made.extrapolation.factor,
            made.held_by_level,
            SAMPLE if made.sample else GROWTH,
            0 if measured.in_state is UNSET else measured.launches - measured.in_state,
            (measured.high - measured.low) / (2.0 * measured.value),
        )


@dataclass(frozen=True)
class Told:
    """Over all forecasts."""

    forecasts: int
    median_error: float
    near: int  # within NEAR
    usual_inside: int
    median_width: float
    median_measured_width: float
    runs_inside: int
    runs: int
    elsewhere: int  # of them in the rarer state of the machine
    calibration: tuple[tuple[float, float], ...]  # (level, share of forecasts that it held)

    @classmethod
    def of(cls, checked: Sequence[Checked]) -> "Told":
        errors = [abs(one.error) for one in checked]
        return cls(
            len(checked),
            median(errors),
            sum(error <= NEAR for error in errors),
            sum(one.usual_inside for one in checked),
            median([one.usual_width for one in checked]),
            median([one.measured_width for one in checked]),
            sum(one.runs_inside for one in checked),
            sum(one.launches for one in checked),
            sum(one.elsewhere for one in checked),
            tuple((one.level, one.share) for one in counted(one.held_by_level for one in checked)),
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def check_forecasts(
    store: RecordStore, session: str, launches: int, which: Round, progress: Progress
) -> list[Checked]:
    """Measures, foretells, runs, compares; what a session of this name has done already is not done again. Worst first."""
    plan = with_launches(which.plan, launches)
    store.prepare()
    probe_machine(store, plan.probes, campaign=campaign_of(session, plan.probes), progress=progress)
    made = {campaign_of(session, part): part for part in (plan.programs, plan.cold) if part}
    checked = campaign_of(session, plan.prediction)
    turns = range(1, launches + 1) if plan.cold else [launches]
    _make(made, turns, 0.0, store, progress)
    predict_missing(plan.prediction, store, checked, progress)
    _make({checked: plan.prediction}, turns, TURN_S, store, progress)
    score(store)
    return checked_of(store, plan)


def _make(
    plans: Mapping[str, Plan], turns: Iterable[int], turn_s: float, store: RecordStore, progress: Progress
) -> None:
    """Launches plans (by their campaigns) until all have as many launches as the turn says, turn by turn, one begun ``turn_s`` after the
    other: so what is compared has met the same states of the machine."""
    begun = -inf
    for turn in turns:
        wanted = {campaign: _repeated(plan, turn) for campaign, plan in plans.items()}
        missing = [one for one in wanted.items() if _lacks(*one, store)]
        if missing:
            time.sleep(max(begun + turn_s - time.monotonic(), 0.0))
            begun = time.monotonic()
        for campaign, plan in missing:
            run_plan(plan, store, campaign, progress)


def _lacks(campaign: str, plan: Plan, store: RecordStore) -> bool:
    states = states_of(plan, store.cold if plan.cold else store, campaign)
    return any(len(state.good) < state.point.repeats for state in states)


def with_launches(plan: MainPlan, launches: int) -> MainPlan:
    return replace(
        plan,
        programs=_repeated(plan.programs, launches),
        cold=_repeated(plan.cold, launches) if plan.cold else None,
        prediction=_repeated(plan.prediction, launches),
    )


def _repeated(plan: Plan, launches: int) -> Plan:
    return plan.model_copy(update={"repeats": launches, "most_repeats": launches})


def checked_of(store: RecordStore, plan: MainPlan) -> list[Checked]:
    """The scored forecasts of the plan's points, those that did not hold first, then by error."""
    wanted = {point.key for point in points_of(plan.prediction)}
    found = [made for made in ForecastStore(store.folder).all() if made.score and made.usual_s]
    points = {record.id: record.point for record in store.all()}
    own = [made for made in found if any(points.get(name) in wanted for name in made.score.record_ids)]
    return sorted(map(Checked.of, own), key=lambda one: (one.usual_inside, -abs(one.error)))
