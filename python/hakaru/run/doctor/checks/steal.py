"""Time that the hypervisor gave to other guests (``steal`` of /proc/stat, proc(5))."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "steal time"

LIMIT = 0.005
STEAL, USER_TO_STEAL = 7, 8


def check(system: System) -> Finding:
    lines = (system.read("proc/stat") or "").splitlines()
    ticks = [int(word) for word in lines[0].split()[1:]] if lines and lines[0].startswith("cpu ") else []
    if len(ticks) <= STEAL:
        return unavailable("/proc/stat has no steal column")
    idle_and_iowait = ticks[3] + ticks[4]
    wanted = sum(ticks[:USER_TO_STEAL]) - idle_and_iowait
    share = ticks[STEAL] / wanted if wanted else 0.0
    found = f"{share:.2%} of the wanted time since start went to other guests"
    if share <= LIMIT:
        return fine(found, share=share)
    return bad(found, "ask for dedicated cores; measure at quiet hours; records keep it", share=share)
