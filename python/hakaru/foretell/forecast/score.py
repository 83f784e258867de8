"""Forecasts beside the runs that met them, and how wrong forecasts were on the whole."""

from collections.abc import Sequence
from statistics import median

from msgspec import UNSET

from hakaru.base.statistics import median_interval
from hakaru.facts.forecasts import Forecast, ForecastStore, Score, distinct
from hakaru.facts.forecasts.forecast import SCORE_SCHEMA, Measured
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.forecast.outcomes import Damaged, ScoredEntry, Track, summary
from hakaru.foretell.models import launch_phases, sound
from hakaru.foretell.models.usually import usually
from hakaru.foretell.models.waiting import share_that_adds


def score(forecast: Forecast, records: Sequence[Record]) -> Score | None:
    """Score of a forecast against all sound runs that met it: error = predicted / measured - 1; None when no run did."""
    met = sorted((record for record in records if forecast.is_met_by(record)), key=lambda record: record.id)
    if not met:
        return None
    launches = [launch_phases(record) for record in met]
    each_s = [sum(launch.values()) for launch in launches]
    wall = median_interval(each_s)
    same = [record for record in records if _alike(record, met[0])]
    others = share_that_adds(same)
    state = [record for record in met if forecast.state.holds(record)] if forecast.state else met
    alone = [launch_phases(record, left_alone=True, others=others) for record in state or met]
    alone_s = float(usually([sum(launch.values()) for launch in alone]))
    return Score(
        schema=SCORE_SCHEMA,
        forecast=forecast.id,
        scored=now_text(),
        measured=Measured(
            value=wall.value,
            low=wall.low,
            high=wall.high,
            launches=wall.count,
            phases={name: median([launch.get(name, 0.0) for launch in launches]) for name in launches[0]},
            left_alone_s=alone_s,
            in_state=len(state) if forecast.state else UNSET,
        ),
        error=forecast.time_s.value / wall.value - 1.0,
        inside=forecast.time_s.holds(wall.value),
        record_ids=tuple(record.id for record in met),
        usual_inside=forecast.usual_s.holds(alone_s) if forecast.usual_s else UNSET,
        runs_inside=sum(map(forecast.time_s.holds, each_s)),
    )


def _alike(record: Record, other: Record) -> bool:
    """Whether both are the same program on the same layout, of any size."""
    return (record.program, record.setting, record.layout.ranks, record.layout.threads) == (
        other.program,
        other.setting,
        other.layout.ranks,
        other.layout.threads,
    )


def score_all(store: ForecastStore, records: Sequence[Record]) -> list[Score]:
    """Scores every forecast that runs have met since it was last scored; returns the new scores."""
    fresh = []
    by_setting: dict[tuple, list[Record]] = {}
    for record in records:
        by_setting.setdefault((record.program, record.setting), []).append(record)
    usable = [record for group in by_setting.values() for record in sound(group)[0]]
    for forecast in store.all():
        found = score(forecast, usable)
        if found and (forecast.score is None or set(found.record_ids) != set(forecast.score.record_ids)):
            store.write_score(found)
            fresh.append(found)
    return fresh


def track_record(store: ForecastStore, records: RecordStore | None = None) -> Track:
    """How wrong all scored forecasts were, and how often their intervals held; ``records`` says which of its files are damaged."""
    forecasts = store.all()
    different = distinct(forecasts)
    scored = [forecast for forecast in different if forecast.score]
    flags = sorted({forecast.extrapolation.flag for forecast in scored})
    whole = summary(scored)
    damaged = [*store.damaged, *(records.damaged if records else ())]
    return Track(
        forecasts=len(forecasts),
        distinct=len(different),
        scored=whole.scored,
        error=whole.error,
        inside=whole.inside,
        by_flag={flag: summary([one for one in scored if one.extrapolation.flag == flag]) for flag in flags},
        entries=tuple(map(ScoredEntry.of, scored)),
        damaged=tuple(Damaged(file=str(path), reason=reason) for path, reason in damaged),
    )
