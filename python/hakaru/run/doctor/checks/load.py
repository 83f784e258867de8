"""Other work on the machine (load averages of /proc/loadavg)."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "load"

LIMIT = 0.5  # half a core


def check(system: System) -> Finding:
    words = (system.read("proc/loadavg") or "").split()
    if len(words) < 3:
        return unavailable("/proc/loadavg cannot be read")
    one, five = float(words[0]), float(words[1])
    found = f"{one:.2f} over one minute, {five:.2f} over five"
    if one <= LIMIT:
        return fine(found, load_one_minute=one)
    return bad(found, "see what runs (top), stop it or wait", load_one_minute=one)
