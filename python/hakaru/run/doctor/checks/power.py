"""A power meter: RAPL energy counters, or a power sensor of hwmon."""

from hakaru.run.doctor.finding import Finding, fine, unavailable
from hakaru.run.doctor.system import System

title = "power meter"


def check(system: System) -> Finding:
    counters = system.glob("sys/class/powercap/*rapl*/energy_uj")
    sensors = system.glob("sys/class/hwmon/hwmon*/power*_input") + system.glob(
        "sys/class/hwmon/hwmon*/energy*_input"
    )
    meters = counters + sensors
    if not meters:
        return unavailable("no RAPL counter and no power sensor", "joules stay empty")
    readable = [path for path in meters if system.readable(path)]
    if not readable:
        return unavailable(
            f"{len(meters)} meters, none readable by this user",
            "sudo chmod o+r /sys/class/powercap/intel-rapl:*/energy_uj (until the next start)",
        )
    return fine(f"{len(readable)} meters: {', '.join(path.parent.name for path in readable[:3])}")
