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
    if not system.cpu_flags():
        return unavailable("/proc/cpuinfo lists no features")
    if system.is_virtual():
        return bad(
            f"yes{f' ({product})' if product else ''}: caches and clock may not be what is said",
            "repeat at other hours; trust what hakaru probe measures",
        )
    return fine("no")
