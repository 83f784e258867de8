"""What forecasts said beside what runs took: the entries of track records and back-tests, and what they sum up to."""

from collections.abc import Sequence
from statistics import median

from hakaru.facts.forecasts import Forecast, TrackRecord
from hakaru.facts.forecasts.forecast import ForecastLayout, Measured, Span
from hakaru.facts.strict import Strict
from hakaru.facts.work import Parameters


class Entry(Strict):
    """``predicted``, ``error`` and ``inside`` are None where a forecast was refused."""

    program: str
    parameters: Parameters
    layout: ForecastLayout
    size: float | None
    flag: str
    predicted: Span | None
    error: float | None
    inside: bool | None


class ScoredEntry(Entry):
    id: str
    measured: Measured

    @classmethod
    def of(cls, forecast: Forecast) -> "ScoredEntry":
        return cls(
            id=forecast.id,
            program=forecast.program,
            parameters=forecast.parameters,
            size=forecast.size,
            layout=forecast.layout,
            flag=forecast.extrapolation.flag,
            predicted=forecast.time_s,
            measured=forecast.score.measured,
            error=forecast.score.error,
            inside=forecast.score.inside,
        )


class HeldOut(Strict):
    value: float
    launches: int


class HeldOutPhase(Strict):
    name: str
    predicted: Span
    model: str
    measured: float


class BackTest(Entry):
    """``sizes``: those it was foretold from; ``measured``: the largest, which was held out."""

    sizes: tuple[float, ...]
    measured: HeldOut
    reason: str
    phases: tuple[HeldOutPhase, ...]


class Errors(Strict):
    """Of predicted / measured - 1."""

    median: float
    lower_quartile: float
    upper_quartile: float
    worst: float
    median_absolute: float


class Inside(Strict):
    """How often the interval held, with a 95 % interval on that rate: Clopper and Pearson's (1934)."""

    count: int
    rate: float
    low: float
    high: float
    promised: float


class Summary(Strict):
    scored: int
    error: Errors | None
    inside: Inside | None


class Damaged(Strict):
    file: str
    reason: str


class Track(Summary):
    """Each question once, the first forecast of it."""

    forecasts: int
    distinct: int
    by_flag: dict[str, Summary]
    entries: tuple[ScoredEntry, ...]
    damaged: tuple[Damaged, ...]


def summary(scored: Sequence[Forecast]) -> Summary:
    if not scored:
        return Summary(scored=0, error=None, inside=None)
    import numpy as np
    from scipy.stats import binomtest

    errors = [forecast.score.error for forecast in scored]
    lower, upper = (float(value) for value in np.quantile(errors, [0.25, 0.75]))
    told = TrackRecord.of(scored)
    rate = binomtest(told.inside, told.scored).proportion_ci(confidence_level=0.95, method="exact")
    return Summary(
        scored=told.scored,
        error=Errors(
            median=median(errors),
            lower_quartile=lower,
            upper_quartile=upper,
            worst=told.worst_error,
            median_absolute=told.median_absolute_error,
        ),
        inside=Inside(
            count=told.inside,
            rate=told.inside / told.scored,
            low=float(rate.low),
            high=float(rate.high),
            promised=told.confidence,
        ),
    )
