"""Forecasts of one results folder: ``forecasts/<id>.json``, never changed, and beside each its
``<id>.score.json``."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakaru.base.errors import UserError
from hakaru.base.files import write_json_atomically
from hakaru.base.paths import root

SCORE_SUFFIX = ".score.json"


@dataclass
class ForecastStore:
    """Forecasts under ``folder``/forecasts. ``damaged`` lists (file, reason) of those that could not be
    read, after reading."""

    folder: Path
    damaged: list[tuple[Path, str]] = field(default_factory=list)

    def __post_init__(self):
        self.forecasts = Path(self.folder) / "forecasts"

    def write(self, forecast: Mapping[str, Any]) -> Path:
        """Publishes a forecast under its id. Refused ones foretell nothing and are not kept: UserError."""
        if forecast["time_s"] is None:
            raise UserError(
                "a refused forecast is not stored",
                forecast["extrapolation"]["reason"],
                "measure more sizes first",
            )
        path = self.forecasts / f"{forecast['id']}.json"
        if path.exists():
            raise UserError(
                f"the forecast {forecast['id']} exists already",
                "forecasts are never changed",
                "give it another id",
            )
        write_json_atomically(path, dict(forecast))
        return path

    def write_score(self, score: Mapping[str, Any]) -> Path:
        """Writes the score of the forecast that ``score`` names, over an earlier one that knew fewer runs."""
        path = self.forecasts / f"{score['forecast']}{SCORE_SUFFIX}"
        write_json_atomically(path, dict(score))
        return path

    def all(self) -> list[dict[str, Any]]:
        """Readable forecasts in the order of their ids, each with its score (or None) under ``score``."""
        self.damaged = []
        found = []
        for path in sorted(self.forecasts.glob("*.json")):
            if path.name.endswith(SCORE_SUFFIX):
                continue
            forecast = self._read(path, "forecast")
            if forecast is not None:
                beside = path.with_name(path.name.removesuffix(".json") + SCORE_SUFFIX)
                found.append(forecast | {"score": self._read(beside, "score") if beside.exists() else None})
        return found

    def _read(self, path: Path, kind: str) -> dict[str, Any] | None:
        try:
            data = json.loads(path.read_text())
            if error := next(_validator(kind).iter_errors(data), None):
                where = ".".join(str(step) for step in error.absolute_path) or "the file"
                raise ValueError(f"{where}: {error.message[:200]}")
        except (OSError, ValueError) as error:
            self.damaged.append((path, str(error)))
            return None
        return data


@functools.cache
def _validator(kind: str):
    """Validator of a forecast file, or of a score file (the ``score`` definition of the same schema)."""
    from jsonschema import Draft202012Validator

    schema = json.loads((root() / "schema" / "forecast.schema.json").read_text())
    if kind == "score":
        schema = {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": "#/$defs/score"}
    return Draft202012Validator(schema)
