"""Replays of a results folder: ``replays/<id>.json``, and what single replays gave under ``replays/.kept``."""

from pathlib import Path
from typing import Any

from hakaru.base.files import write_json_atomically

FOLDER = "replays"


def folder(results: Path) -> Path:
    return results / FOLDER


def kept(results: Path) -> Path:
    """Where the engine's results are kept, so that an interrupted sweep goes on."""
    return folder(results) / ".kept"


def write(results: Path, document: dict[str, Any]) -> Path:
    """Publishes an outcome, a sweep or a sensitivity under its id. Raises UserError when it cannot be written."""
    path = folder(results) / f"{document['id']}.json"
    write_json_atomically(path, document)
    return path
