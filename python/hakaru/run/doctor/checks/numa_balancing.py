"""Pages that the kernel moves between memory nodes while a program runs."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "NUMA"


def check(system: System) -> Finding:
    nodes = len(system.glob("sys/devices/system/node/node[0-9]*"))
    if nodes == 0:
        return unavailable("the kernel shows no memory nodes")
    if nodes == 1:
        return fine("one memory node")
    if system.read("proc/sys/kernel/numa_balancing") not in (None, "0"):
        return bad(
            f"{nodes} memory nodes, pages are moved while programs run", "sudo sysctl kernel.numa_balancing=0"
        )
    return fine(f"{nodes} memory nodes, pages stay where they were first touched")
