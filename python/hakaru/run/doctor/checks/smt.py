"""Hardware threads that share a core."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "SMT"


def check(system: System) -> Finding:
    files = system.glob("sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list")
    siblings = {path.read_text().strip() for path in files}
    active = system.read("sys/devices/system/cpu/smt/active")
    if not siblings and active is None:
        return unavailable("the kernel does not say which hardware threads share a core")
    shared = sorted(group for group in siblings if "," in group or "-" in group)
    if active == "1" or shared:
        example = f" (for example {shared[0]})" if shared else ""
        return bad(
            f"hardware threads share cores{example}",
            "one rank or thread a core: hakaru binds so; elsewhere OMP_PLACES=cores",
        )
    return fine("one hardware thread a core, as far as the kernel sees")
