"""Counters of HPE Cray nodes below /sys/cray/pm_counters (Martin and others, CUG 2018): J since the node started, ten times a second."""

from pathlib import Path

from hakaru.facts.records.power import Scope
from hakaru.run.power.meter import Found, Meter, Place, sorted_out

FOLDER = "sys/cray/pm_counters"
FILES: dict[str, Scope] = {"energy": "node", "cpu_energy": "package", "memory_energy": "memory"}
STEP_S = 0.1


def find(place: Place) -> Found:
    folder = place.root / FOLDER
    meters = [_meter(folder / name, scope) for name, scope in FILES.items() if (folder / name).exists()]
    return sorted_out(meters, "") if meters else Found(why_not=f"no /{FOLDER}", absent=True)


def _meter(path: Path, scope: Scope) -> Meter:
    return Meter(scope, f"cray {path.name}", "energy", lambda: _joules(path), STEP_S)


def _joules(path: Path) -> float:
    """Of ``1234 J 5678 us``. Raises ValueError for anything else."""
    value, unit, *_ = path.read_text().split() or ("", "")
    if unit != "J":
        raise ValueError(f"{path.name} says no energy")
    return float(value)
