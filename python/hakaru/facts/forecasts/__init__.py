"""Forecasts: what was predicted, from what, and how wrong it was."""

from hakaru.facts.forecasts.forecast import Forecast, Score, Span, TrackRecord, distinct
from hakaru.facts.forecasts.store import ForecastStore

__all__ = ["Forecast", "ForecastStore", "Score", "Span", "TrackRecord", "distinct"]
