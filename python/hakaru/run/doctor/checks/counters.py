"""Hardware performance counters, tried by opening one (perf_event_open(2))."""

import errno

from hakaru.run.doctor.finding import Finding, fine, unavailable
from hakaru.run.doctor.system import System

title = "counters"

WITHOUT = "work is counted by the programs themselves"


def check(system: System) -> Finding:
    error = system.open_cycle_counter()
    if error == 0:
        return fine("a cycle counter opens")
    paranoid = system.read("proc/sys/kernel/perf_event_paranoid")
    if error in (errno.EACCES, errno.EPERM):
        level = (
            f"kernel.perf_event_paranoid is {paranoid}"
            if paranoid is not None
            else "a container or policy forbids it"
        )
        return unavailable(
            f"not permitted: {level}", f"sudo sysctl kernel.perf_event_paranoid=2; without, {WITHOUT}"
        )
    if error in (errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV):
        return unavailable("this processor or virtual machine shows none", WITHOUT)
    return unavailable(f"the kernel answers {errno.errorcode.get(error, error)}", WITHOUT)
