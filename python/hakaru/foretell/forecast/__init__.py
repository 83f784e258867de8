"""Predicted times with intervals, kept in the results folder, scored when a run meets them.

``make`` a forecast from records, ``ForecastStore(folder).write`` it, ``score_all`` after later runs,
``track_record`` tells how wrong forecasts were; ``backtest`` asks the same of runs at hand. ``predict``
does the first with a built program.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hakaru.facts.forecasts import Forecast, ForecastStore
from hakaru.foretell.forecast.asking import Question, evaluate
from hakaru.foretell.forecast.backtest import backtest
from hakaru.foretell.forecast.curve import with_curve
from hakaru.foretell.forecast.make import make
from hakaru.foretell.forecast.score import score, score_all, track_record

__all__ = [
    "ForecastStore",
    "backtest",
    "evaluate",
    "make",
    "predict",
    "score",
    "score_all",
    "track_record",
]


def predict(
    folder: str | Path,
    program: str,
    parameters: Mapping[str, Any],
    ranks: int = 1,
    threads: int = 1,
    growth: str | None = None,
) -> Forecast:
    """Forecast for a built program from the records of a results folder; not written. Raises UserError as
    ``make`` does."""
    question = Question(Path(folder), program, parameters, ranks, threads, growth=growth)
    return with_curve(question.forecast(), question)
