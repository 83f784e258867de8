"""A clock that rises while few cores work."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "turbo"

ADVICE = "compare the same number of busy cores; to switch it off: "


def check(system: System) -> Finding:
    no_turbo = system.read("sys/devices/system/cpu/intel_pstate/no_turbo")
    boost = system.read("sys/devices/system/cpu/cpufreq/boost")
    if no_turbo is None and boost is None:
        return unavailable("no switch for it", "one busy core may run faster than many")
    if no_turbo == "0":
        return bad("on", ADVICE + "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo")
    if no_turbo is None and boost == "1":
        return bad("on", ADVICE + "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost")
    return fine("off: speed-up is not mixed with a changing clock")
