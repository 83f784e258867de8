"""Who decides the clock frequency."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "governor"


def check(system: System) -> Finding:
    files = system.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
    governors = {path.read_text().strip() for path in files}
    if not governors:
        return unavailable(
            "no cpufreq: host or firmware set the clock", "compare interleaved runs: it may drift unseen"
        )
    names = ", ".join(sorted(governors))
    if governors == {"performance"}:
        return fine(f"{names} on all {len(files)} cores")
    return bad(f"{names}: the clock follows the load", "sudo cpupower frequency-set --governor performance")
