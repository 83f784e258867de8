"""A power meter: RAPL energy counters, a power sensor of hwmon, or the counters of an HPE Cray node."""

from hakaru.run.doctor.finding import Finding, fine, unavailable
from hakaru.run.doctor.system import System

title = "power meter"


def check(system: System) -> Finding:
    counters = system.glob("sys/class/powercap/*rapl*/energy_uj")
    sensors = system.glob("sys/class/hwmon/hwmon*/power*_input") + system.glob(
        "sys/class/hwmon/hwmon*/energy*_input"
    )
    meters = counters + sensors + system.glob("sys/cray/pm_counters/energy")
    if not meters:
        return unavailable(
            "no RAPL counter and no power sensor", "name a command that tells it (--meter), if there is one"
        )
    readable = [path for path in meters if system.readable(path)]
    if not readable:
        return unavailable(
            f"{len(meters)} meters, none readable by this user",
            "sudo chmod o+r /sys/class/powercap/intel-rapl:*/energy_uj (until the next start)",
        )
    return fine(f"{len(readable)} meters: {', '.join(path.parent.name for path in readable[:3])}")
