"""A hypervisor under the kernel."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "virtual machine"


def check(system: System) -> Finding:
    product = " ".join(
        part
        for part in (system.read(f"sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name"))
        if part
    )
    flags = system.cpu_flags()
    if not flags:
        return unavailable("/proc/cpuinfo lists no features")
    if "hypervisor" in flags or system.read("sys/hypervisor/type"):
        return bad(
            f"yes{f' ({product})' if product else ''}: caches and clock may not be what is said",
            "repeat at other hours; trust what hakaru probe measures",
        )
    return fine("no")
