"""RAPL counters of the processor's packages and of its memory, as the kernel's powercap files tell them.

Documentation/power/powercap/powercap.rst of Linux; they count µJ and begin again at ``max_energy_range_uj``.
"""

from pathlib import Path

from hakaru.run.power.meter import Found, Meter, Place, number, sorted_out, text

FOLDER = "sys/class/powercap"
OPEN = "an administrator can allow it: chmod o+r /sys/class/powercap/*/energy_uj"
STEP_S = 1e-3
MICRO = 1e-6


def find(place: Place) -> Found:
    zones = [path.parent for path in place.glob(f"{FOLDER}/*rapl*:*/energy_uj")]
    named = [(zone, text(zone / "name")) for zone in zones]
    through_registers = {name for zone, name in named if "mmio" not in zone.name}
    meters = [
        _meter(zone, name)
        for zone, name in named
        if name.startswith(("package", "dram")) and not ("mmio" in zone.name and name in through_registers)
    ]
    if not meters:
        return Found(why_not=f"no RAPL counter of a package below /{FOLDER}", absent=True)
    return sorted_out(meters, OPEN)


def _meter(zone: Path, name: str) -> Meter:
    """A zone of the package, without the cores inside of it, or of its memory, which stands beside it."""
    try:
        range_j = number(zone / "max_energy_range_uj", MICRO) or None
    except (OSError, ValueError):
        range_j = None
    counter = zone / "energy_uj"
    return Meter(
        "memory" if name.startswith("dram") else "package",
        f"powercap {zone.name} {name}",
        "energy",
        lambda: number(counter, MICRO),
        STEP_S,
        range_j,
    )
