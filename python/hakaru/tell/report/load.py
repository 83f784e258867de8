"""What a results folder holds, as the report is made of it."""

from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Forecast
from hakaru.facts.machines.machine import UNKNOWN, Machine
from hakaru.facts.records import Record


@dataclass(frozen=True)
class Results:
    """Records, machine and forecasts with their scores; ``damaged`` names files left out, with the
    reason.
    """

    folder: Path
    records: list[Record]
    machine: Machine
    forecasts: list[Forecast]
    damaged: list[str] = field(default_factory=list)


def load_results(folder: Path) -> Results:
    """Everything readable in the folder. Raises ``UserError`` where there is no such folder."""
    from hakaru.facts.forecasts.store import ForecastStore
    from hakaru.facts.records import RecordStore

    if not folder.is_dir():
        why, todo = (
            "there is no such folder",
            "run hakaru run first, or name another folder with --results DIR",
        )
        raise UserError(f"no results in {folder}", why, todo)
    store = RecordStore(folder)
    records = store.all()
    damaged = [f"{path.name}: {reason}" for path, reason in store.damaged]
    forecasts = ForecastStore(folder)
    foretold = forecasts.all()
    damaged += [f"{path.name}: {reason}" for path, reason in forecasts.damaged]
    return Results(folder, records, _machine(folder / "machine.toml", damaged), foretold, damaged)


def _machine(path: Path, damaged: list[str]) -> Machine:
    """What the machine file says; a file that is wrong is named and left out, since everything else can still
    be told.
    """
    if not path.is_file():
        return UNKNOWN
    try:
        return Machine.load(path)
    except UserError as error:
        damaged.append(f"{path.name}: {error}")
        return UNKNOWN
