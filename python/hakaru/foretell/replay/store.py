"""Replays of a results folder: ``replays/<id>.json``, and what single replays gave under ``replays/.kept``."""

from pathlib import Path

from hakaru.base.files import write_json_atomically
from hakaru.foretell.replay.documents import Answer, Sensitivity, Sweep

FOLDER = "replays"


def folder(results: Path) -> Path:
    return results / FOLDER


def kept(results: Path) -> Path:
    """Where the engine's results are kept, so that an interrupted sweep goes on."""
    return folder(results) / ".kept"


def write(results: Path, answer: Answer | Sweep | Sensitivity) -> Path:
    """Publishes an outcome, a sweep or a sensitivity under its id. Raises UserError when it cannot be written."""
    path = folder(results) / f"{answer.id}.json"
    write_json_atomically(path, answer.as_dict())
    return path
