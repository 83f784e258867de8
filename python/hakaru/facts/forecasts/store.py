"""Forecasts of one results folder: ``forecasts/<id>.json``, never changed, and beside each its ``<id>.score.json``."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from hakaru.base.errors import UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts.forecasts.forecast import Forecast, Score

SCORE_SUFFIX = ".score.json"


@dataclass
class ForecastStore:
    """Forecasts under ``folder``/forecasts. ``damaged`` lists (file, reason) of those that could not be read, after reading."""

    folder: Path
    damaged: list[tuple[Path, str]] = field(default_factory=list)

    def __post_init__(self):
        self.forecasts = Path(self.folder) / "forecasts"

    def write(self, forecast: Forecast) -> Path:
        """Publishes a forecast under its id. Refused ones foretell nothing and are not kept: UserError."""
        if forecast.refused:
            raise UserError(
                "a refused forecast is not stored", forecast.extrapolation.reason, "measure more sizes first"
            )
        path = self.forecasts / f"{forecast.id}.json"
        if path.exists():
            raise UserError(
                f"the forecast {forecast.id} exists already",
                "forecasts are never changed",
                "give it another id",
            )
        write_json_atomically(path, forecast.as_dict())
        return path

    def write_score(self, score: Score) -> Path:
        """Writes the score of the forecast that ``score`` names, over an earlier one that knew fewer runs."""
        path = self.forecasts / f"{score.forecast}{SCORE_SUFFIX}"
        write_json_atomically(path, score.as_dict())
        return path

    def all(self) -> list[Forecast]:
        """Readable forecasts in the order of their ids, each with its score."""
        self.damaged = []
        found = []
        for path in sorted(self.forecasts.glob("*.json")):
            if path.name.endswith(SCORE_SUFFIX):
                continue
            forecast = self._read(path, Forecast)
            if forecast is not None:
                beside = path.with_name(path.name.removesuffix(".json") + SCORE_SUFFIX)
                found.append(forecast.with_score(self._read(beside, Score) if beside.exists() else None))
        return found

    def _read(self, path: Path, noun: type):
        try:
            return msgspec.json.decode(path.read_bytes(), type=noun)
        except (OSError, ValueError) as error:
            self.damaged.append((path, str(error)))
            return None
