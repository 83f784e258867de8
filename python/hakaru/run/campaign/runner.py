"""Runs a plan: rounds over all points in a shuffled order, until every point has enough launches or a cap is met."""

import random
import time
from dataclasses import dataclass, field
from math import inf

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.statistics import median_interval
from hakaru.facts import programs
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.provenance import Provenance
from hakaru.facts.records.shares import shared
from hakaru.run.campaign.estimate import Estimator
from hakaru.run.campaign.execute import Starter, perform, prepare, start_here
from hakaru.run.campaign.plan import Plan, Point, points_of
from hakaru.run.campaign.progress import Progress, duration, progress_for_terminal
from hakaru.run.campaign.turns import alone

MOST_FAILURES = 2  # of a point, before it is given up in this session
LATER = 1.5  # a launch may take so many times as long as expected
NOISY_WIDTH = 0.10  # relative width of an interval that is said aloud
NOISY_STEAL = 0.01  # share of a launch's time that the hypervisor took


@dataclass
class PointState:
    """Launches of one point in this campaign."""

    point: Point
    good: list[Record] = field(default_factory=list)
    failed_now: int = 0

    def relative_width(self) -> float:
        samples = [record.wall_s for record in shared(self.good) if record.wall_s is not None]
        return median_interval(samples).relative_width if len(samples) >= 2 else float("inf")


@dataclass
class Outcome:
    """What a campaign has given, this session's and earlier launches together."""

    campaign: str
    states: list[PointState]
    failures: list[Record]
    notes: list[str]
    complete: bool

    @property
    def records(self) -> list[Record]:
        return [record for state in self.states for record in state.good]


def run_plan(
    plan: Plan, store: RecordStore, campaign: str | None = None, progress: Progress | None = None
) -> Outcome:
    """Runs what is still missing of a plan. Finished launches of the same campaign in the store count; while another process runs it, this
    one waits.

    Ctrl-C raises KeyboardInterrupt after the running launch was ended; everything finished stays in the store.
    """
    campaign = campaign or plan.campaign
    progress = progress or progress_for_terminal()
    store = store.cold if plan.cold else store
    for point in points_of(plan):  # refuses before it waits
        if point.layout.nodes > 1:
            start_here(programs.named(point.program), point)
    store.prepare()
    with alone(store, campaign, progress.say):
        states = states_of(plan, store, campaign)
        runner = Runner(plan, store, campaign, states, progress)
        runner.run()
    return outcome(campaign, states, runner.failures)


def outcome(campaign: str, states: list[PointState], failures: list[Record]) -> Outcome:
    complete = all(len(state.good) >= state.point.repeats for state in states)
    return Outcome(campaign, states, failures, _notes(states), complete)


def states_of(plan: Plan, store: RecordStore, campaign: str) -> list[PointState]:
    """The points of a plan with their launches so far."""
    states = {point.key: PointState(point) for point in points_of(plan)}
    for record in store.all(campaign=campaign, status="ok"):
        if record.point in states:
            states[record.point].good.append(record)
    return list(states.values())


class Runner:
    """``starter``: how ranks are started. ``until``: the moment of time.monotonic() by which all launches shall have ended: none is begun
    that is not expected to end before."""

    def __init__(
        self,
        plan: Plan,
        store: RecordStore,
        campaign: str,
        states: list[PointState],
        progress: Progress,
        starter: Starter = start_here,
        until: float = inf,
    ):
        self.plan, self.store, self.campaign, self.states, self.progress = (
            plan,
            store,
            campaign,
            states,
            progress,
        )
        self.starter, self.until = starter, until
        self.published: list[str] = []
        self.estimator = Estimator(store.all())
        self.provenance = Provenance.here()
        self.failures: list[Record] = []
        self.random = random.Random(f"{campaign} {sum(len(state.good) for state in states)}")
        self.deadline = time.monotonic() + plan.time_cap_s

    def run(self) -> None:
        if not self._left(self.states)[0]:
            kept = sum(len(state.good) for state in self.states)
            self.progress.say(
                f"nothing is left to launch: {units.count(kept, 'launch', 'launches')} kept from before"
            )
            return
        self.progress.start(*self._left(self.states))
        try:
            while todo := self._next_round():
                self.random.shuffle(todo)
                for state in todo:
                    self._launch(state)
        finally:
            self.progress.stop()

    def _next_round(self) -> list[PointState]:
        """Points that get one more launch: those below their repeats; then those that are still too wide, while time lasts."""
        alive = [state for state in self.states if state.failed_now < MOST_FAILURES and self._fits(state)]
        below = [state for state in alive if len(state.good) < state.point.repeats]
        if below or time.monotonic() > self.deadline:
            return below
        return [
            state
            for state in alive
            if 5 <= len(state.good) < max(self.plan.most_repeats, state.point.repeats)
            and state.relative_width() > self.plan.interval_width
        ]

    def _fits(self, state: PointState) -> bool:
        return (
            self.until == inf or time.monotonic() + LATER * self.estimator.seconds(state.point) < self.until
        )

    def _launch(self, state: PointState) -> None:
        if not self._fits(state):
            return
        estimate_s = self.estimator.seconds(state.point)
        self.progress.launching(state.point.label, estimate_s)
        number = len(state.good) + state.failed_now
        timeout_s = min(self.plan.timeout_s, self.until - time.monotonic())
        record = perform(
            state.point, self.store, self.campaign, self.provenance, timeout_s, number, self.starter
        )
        self.published.append(record.id)
        self.estimator.learn(record)
        if record.ok:
            state.good.append(record)
            text = f"{record.wall_s:.4g} s, {record.verdict}" if record.wall_s is not None else record.verdict
        else:
            state.failed_now += 1
            self.failures.append(record)
            text = f"failed: {record.failure.reason}"
            self.progress.say(f"{state.point.label} failed ({record.failure.reason}); kept as {record.id}")
        self.progress.finished(
            text, *self._left([one for one in self.states if one.failed_now < MOST_FAILURES])
        )

    def _left(self, states: list[PointState]) -> tuple[int, float]:
        """Launches that are missing, and about how many seconds they will take."""
        missing = {id(one): max(one.point.repeats - len(one.good), 0) for one in states}
        seconds = sum(
            missing[id(one)] * self.estimator.seconds(one.point) for one in states if missing[id(one)]
        )
        return sum(missing.values()), seconds


def _notes(states: list[PointState]) -> list[str]:
    """What made the measurements uncertain, in words."""
    notes = []
    for state in states:
        width = state.relative_width()
        if NOISY_WIDTH < width < float("inf"):
            notes.append(
                f"{state.point.label}: noisy, the 95 % interval is {100 * width:.0f} % wide after {len(state.good)} launches"
            )
        if any(record.layout.oversubscribed for record in state.good):
            notes.append(f"{state.point.label}: oversubscribed, not a measure of performance")
        stolen = [_steal_share(record) for record in state.good]
        if stolen and max(stolen) > NOISY_STEAL:
            notes.append(
                f"{state.point.label}: the hypervisor took up to {100 * max(stolen):.0f} % of a launch's time"
            )
    return notes


def _steal_share(record: Record) -> float:
    timed_s = sum(repetition.wall_s for repetition in record.repetitions)
    processors = max(record.layout.cores, record.environment.cpus_online or 1)  # steal is counted over all
    total = max(timed_s, record.whole_s or 0.0) * processors
    return (record.environment.steal_s or 0.0) / total if total > 0 else 0.0


@dataclass(frozen=True)
class DryLaunch:
    """A launch line, how often it would be started, and the estimated seconds of all."""

    program: str
    label: str
    layout: str
    launches: int
    line: str
    estimated_s: float


def dry_run(plan: Plan, store: RecordStore) -> list[DryLaunch]:
    """Every launch of a plan; starts nothing and writes nothing."""
    estimator = Estimator(store.all())
    return [
        DryLaunch(
            point.program,
            point.label,
            str(point.layout),
            point.repeats,
            prepare(point, store, None).line,
            point.repeats * estimator.seconds(point),
        )
        for point in points_of(plan)
    ]


def require_complete(outcome: Outcome) -> None:
    """Raises UserError when no launch of some point succeeded."""
    empty = [state.point.label for state in outcome.states if not state.good]
    if empty:
        raise UserError(
            f"{len(empty)} runs never succeeded: {', '.join(empty[:3])}",
            "their failed records say why",
            "look at them with: hakaru records --failed",
            4,
        )


__all__ = ["Outcome", "dry_run", "duration", "require_complete", "run_plan"]
