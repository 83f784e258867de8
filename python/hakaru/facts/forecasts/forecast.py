"""The predicted time of one repetition of a program, what it rests on, and how wrong it was (schema/forecast.schema.json). Times in s."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hakaru.base import units
from hakaru.facts.forecasts.energy import EnergyForecast
from hakaru.facts.records.nearness import Nearness
from hakaru.facts.records.record import Record
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Moment, Name, Positive, Seconds, Words
from hakaru.facts.work import Parameters

SCHEMA = "hakaru/forecast/1"
FLAGS = {
    "ok": "within reach of the measured runs",
    "far": "far from the measured runs: take the interval seriously",
    "refused": "refused",
}
SCORE_SCHEMA = "hakaru/score/1"
EMPTIED = "with empty caches"  # how facts end that name a record of such a run


class Span(Strict):
    """A time with its interval."""

    value: Seconds
    low: Seconds
    high: Seconds

    def holds(self, time_s: float) -> bool:
        return self.low <= time_s <= self.high

    def scaled(self, factor: float) -> "Span":
        return Span(value=self.value * factor, low=self.low * factor, high=self.high * factor)


class Bytes(Strict):
    """An amount of memory with its interval, in B."""

    value: Seconds
    low: Seconds
    high: Seconds

    def times(self, factor: float) -> "Bytes":
        return Bytes(value=self.value * factor, low=self.low * factor, high=self.high * factor)


class MemoryForecast(Strict):
    """Largest resident set of a rank, and of the ranks of a node together."""

    rank: Bytes
    node: Bytes


class Candidate(Strict):
    """A model that was tried; its error is relative, None where nothing could be held out."""

    model: Words
    cross_validation_error: Seconds | None


class PhaseForecast(Strict, omit_defaults=True):
    """Mean over ranks of the exclusive time in a phase; ``fitted`` is the model with its coefficients."""

    name: Words
    kind: Literal["compute", "communicate", "io", "idle"]
    time_s: Span
    model: Words
    candidates: tuple[Candidate, ...]
    fitted: str = ""
    reason: str = ""


class Way(Strict):
    """What one way of foretelling says alone: growth laws of measured times, or prices by the machine's facts."""

    name: Literal["growth", "facts"]
    usual_s: Span

    @property
    def words(self) -> str:
        of = "measured growth" if self.name == "growth" else "the machine's facts"
        return f"{of} alone: {units.seconds_interval(self.usual_s)}"


class SampleOfRun(Strict):
    """Launches of the wanted size and layout that were made for the forecast, each with ``share`` of the wanted work."""

    parameters: Parameters
    launches: AtLeastOne
    share: Annotated[float, Meta(gt=0.0, le=1.0)]
    took_s: Seconds

    def words(self, wanted: Parameters) -> str:
        changed = [f"{name}={value}" for name, value in self.parameters.items() if value != wanted.get(name)]
        how = f" with {' '.join(changed)}" if changed else ", the whole of it"
        count = units.count(self.launches, "launch", "launches")
        share = f"{100.0 * self.share:.3g} % of the work each"
        return f"a sample at the wanted size: {count}{how}, {share}, in {units.seconds(self.took_s)}"


class Band(Strict):
    """A narrower interval of the usual time, in s, which should hold it with probability ``level``."""

    level: Annotated[float, Meta(gt=0.0, lt=1.0)]
    low: Seconds
    high: Seconds

    def holds(self, time_s: float) -> bool:
        return self.low <= time_s <= self.high


class CurvePoint(Strict):
    """The same question for another size on the same layout: what is usual there, and what any one run may take."""

    size: Positive
    usual_s: Span
    time_s: Span


class FittedPoint(Strict, omit_defaults=True):
    """A problem on a layout that was run: median over launches."""

    parameters: Parameters
    ranks: AtLeastOne
    threads: AtLeastOne
    value: Seconds
    launches: AtLeastOne
    size: Positive | None = None


class FittedOn(Strict):
    points: tuple[FittedPoint, ...]
    left_out: tuple[str, ...] = ()

    @property
    def launches(self) -> int:
        return sum(point.launches for point in self.points)

    @property
    def sizes(self) -> str:
        return ", ".join(f"{size:g}" for size in sorted({point.size for point in self.points if point.size}))


class Extrapolation(Strict, omit_defaults=True):
    """``factor`` is the wanted work over that of the largest run it rests on."""

    factor: Positive | None
    flag: Literal["ok", "far", "refused"]
    reason: Words
    size_factor: Positive | None = None


class ForecastLayout(Strict):
    ranks: AtLeastOne
    threads: AtLeastOne


class ForecastSetting(Strict):
    """Where the runs were made that it rests on; only runs made there score it."""

    host: str
    cpu_model: str
    mpi_library: str
    compiler: str
    compiler_flags: str


class Measured(Strict, omit_defaults=True):
    """Median over the launches that met a forecast; ``left_alone_s``: what they usually took (models.usually), less what others took from them,
    of the ``in_state`` that met the state of the machine of which the forecast is (all, where it names none or none of them did)."""

    value: Positive
    low: Seconds
    high: Seconds
    launches: AtLeastOne
    phases: dict[str, Seconds] = {}
    left_alone_s: Seconds | UnsetType = UNSET
    in_state: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


class Score(Strict):
    """A second file beside the forecast; ``error`` is predicted / measured - 1, measured the median of the launches that met it.
    ``usual_inside``: whether ``usual_s`` holds its ``left_alone_s``; ``runs_inside``: how many of them ``time_s`` holds."""

    schema: Literal["hakaru/score/1"]
    forecast: Name
    scored: Moment
    measured: Measured
    error: float
    inside: bool
    record_ids: Annotated[tuple[Words, ...], Meta(min_length=1)]
    usual_inside: bool | UnsetType = UNSET
    runs_inside: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


class Forecast(Strict):
    """``time_s`` is of any one run, ``usual_s`` of what runs usually take; None where the data cannot carry one (flag ``refused``)."""

    schema: Literal["hakaru/forecast/1"]
    id: Name
    created: Moment
    program: Words
    parameters: Parameters
    size: Positive
    layout: ForecastLayout
    repetition: bool
    time_s: Span | None
    confidence: Annotated[float, Meta(gt=0.0, lt=1.0)]
    phases: tuple[PhaseForecast, ...]
    facts: tuple[Words, ...]
    fitted_on: FittedOn
    extrapolation: Extrapolation
    growth: str | None
    score: Score | None
    setting: ForecastSetting | None = None
    memory: MemoryForecast | UnsetType = UNSET
    usual_s: Span | UnsetType = UNSET
    ways: tuple[Way, ...] | UnsetType = UNSET
    energy: EnergyForecast | UnsetType = UNSET
    bands: tuple[Band, ...] | UnsetType = UNSET
    sample: SampleOfRun | UnsetType = UNSET
    state: Nearness | UnsetType = UNSET  # the state of which ``usual_s`` is, where there are two
    curve: tuple[CurvePoint, ...] | UnsetType = UNSET  # below the wanted size, smallest first

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Forecast":
        """From the JSON object. Raises msgspec.ValidationError (a ValueError)."""
        return msgspec.convert(dict(data), cls)

    @property
    def refused(self) -> bool:
        return self.time_s is None

    @property
    def sentence(self) -> str:
        """``usually 0.43 s (0.40 to 0.47), any one run 0.36 to 0.62 s``. Raises ValueError for a refused one."""
        if self.time_s is None:
            raise ValueError("a refused forecast has no time")
        any_one = units.seconds_range(self.time_s.low, self.time_s.high)
        if self.usual_s is UNSET:
            return f"{units.seconds(self.time_s.value)} ({any_one})"
        return f"usually {units.seconds_interval(self.usual_s)}, any one run {any_one}"

    @property
    def held_by_level(self) -> dict[float, bool]:
        """Of a scored forecast: whether each of its intervals of the usual time held what runs usually took; empty where it has none."""
        if not self.score or self.usual_s is UNSET:
            return {}
        took_s = self.score.measured.left_alone_s or self.score.measured.value
        held = {band.level: band.holds(took_s) for band in self.bands or ()}
        return held | {self.confidence: self.usual_s.holds(took_s)}

    @property
    def own_points(self) -> tuple[FittedPoint, ...]:
        """The measured sizes of its layout, smallest first."""
        layout = (self.layout.ranks, self.layout.threads)
        own = (one for one in self.fitted_on.points if one.size and (one.ranks, one.threads) == layout)
        return tuple(sorted(own, key=lambda one: one.size))

    @property
    def whole_curve(self) -> tuple[CurvePoint, ...]:
        """To the wanted size; empty where nothing is known below it, or nothing of what is usual."""
        if not self.curve or self.usual_s is UNSET or self.time_s is None:
            return ()
        return *self.curve, CurvePoint(size=self.size, usual_s=self.usual_s, time_s=self.time_s)

    def with_score(self, score: Score | None) -> "Forecast":
        return msgspec.structs.replace(self, score=score)

    def is_met_by(self, record: Record) -> bool:
        """True when the run is the one foretold: same program, parameters, layout and setting, started after the forecast."""
        return (
            record.program == self.program
            and record.started > self.created
            and record.parameters == self.parameters
            and (record.ranks, record.threads) == (self.layout.ranks, self.layout.threads)
            and (self.setting is None or self.setting.as_dict() == record.setting.named())
        )

    def statements(self) -> list[str]:
        """What it rests on and how far it reaches, in sentences that the terminal and the report print."""
        reach = self.extrapolation
        launches = f"{self.fitted_on.launches} launches at sizes N = {self.fitted_on.sizes}"
        cold = sum(fact.endswith(EMPTIED) for fact in self.facts)
        more = f", and {units.count(cold, 'launch', 'launches')} {EMPTIED}" if cold else ""
        lines = [f"rests on {launches}{more}; N = {self.size:g} is wanted"]
        lines += [f"left out: {what}" for what in self.fitted_on.left_out]
        lines += [f"growth {self.growth} is yours, not the data's"] if self.growth else []
        lines += [self.sample.words(self.parameters)] if self.sample else []
        lines += [self.state.words] if self.state else []
        lines += [way.words for way in self.ways or ()]
        lines += [self.energy.words] if self.energy else []
        return [*lines, f"extrapolation: {FLAGS[reach.flag]} ({reach.reason})"]

    @property
    def question(self) -> str:
        """What it answers from which facts: one that was made again from the same facts is the same."""
        layout = self.layout.as_dict()
        return json.dumps(
            [self.program, self.parameters, layout, self.growth, sorted(self.facts)], sort_keys=True
        )


def distinct(forecasts: Iterable[Forecast]) -> list[Forecast]:
    """The first of each question, or the first scored one where there is a score."""
    found: dict[str, Forecast] = {}
    for one in forecasts:
        known = found.get(one.question)
        if known is None or (known.score is None and one.score):
            found[one.question] = one
    return list(found.values())


@dataclass(frozen=True)
class TrackRecord:
    """All scored forecasts, each question once: how often the interval held, median of |error| and the worst."""

    scored: int
    inside: int
    median_absolute_error: float | None
    worst_error: float | None
    confidence: float | None

    @classmethod
    def of(cls, forecasts: Iterable[Forecast]) -> "TrackRecord":
        scored = [one for one in distinct(forecasts) if one.score]
        errors = [one.score.error for one in scored]
        if not scored:
            return cls(0, 0, None, None, None)
        return cls(
            len(scored),
            sum(one.score.inside for one in scored),
            median(abs(error) for error in errors),
            max(errors, key=abs),
            min(one.confidence for one in scored),
        )
