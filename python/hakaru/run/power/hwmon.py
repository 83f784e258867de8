"""Sensors of power and energy that drivers show below /sys/class/hwmon (Documentation/hwmon/sysfs-interface.rst of Linux): µW and µJ."""

from pathlib import Path

from hakaru.facts.records.power import Scope
from hakaru.run.power.meter import Found, Meter, Place, number, sorted_out, text

FOLDER = "sys/class/hwmon"
STEP_S, LEAST_STEP_S = 0.25, 0.05
MICRO, MILLI = 1e-6, 1e-3


def find(place: Place) -> Found:
    meters = []
    for chip in place.glob(f"{FOLDER}/hwmon*"):
        energies = sorted(chip.glob("energy*_input"))
        powers = sorted({*chip.glob("power*_average"), *chip.glob("power*_input")})
        meters += [_meter(chip, path, "energy") for path in energies]
        counted = {path.name.split("_")[0] for path in powers if path.name.endswith("_average")}
        meters += [
            _meter(chip, path, "power")
            for path in powers
            if path.name.endswith("_average") or path.name.split("_")[0] not in counted
        ]
    if not meters:
        return Found(why_not=f"no sensor of power or energy below /{FOLDER}", absent=True)
    return sorted_out(meters, "")


def _meter(chip: Path, path: Path, counts: str) -> Meter:
    name, channel = text(chip / "name") or chip.name, path.name.split("_")[0]
    label = text(chip / f"{channel}_label") or text(chip / f"{channel}_oem_info")
    step_s = max(_interval_s(chip / f"{channel}_average_interval"), LEAST_STEP_S)
    return Meter(
        _scope(name, label),
        f"hwmon {name} {label or channel}",
        counts,
        lambda: number(path, MICRO),
        step_s,
    )


def _interval_s(path: Path) -> float:
    """Over which the chip averages."""
    try:
        return number(path, MILLI)
    except (OSError, ValueError):
        return STEP_S


def _scope(name: str, label: str) -> Scope:
    """The ACPI power meter is of the machine unless it says of which part; ``amd_energy`` counts sockets, and the cores in them again."""
    words = label.lower()
    if name == "power_meter" and not label:
        return "node"
    if name == "amd_energy":
        return "package" if words.startswith("esocket") else "other"
    if name == "power_meter" and words.startswith("module power socket"):
        return "package"
    return "other"
