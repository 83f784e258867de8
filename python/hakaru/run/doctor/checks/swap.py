"""Memory that has been written to disk, and memory that is left (/proc/meminfo)."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "swap, memory"

USED_LIMIT_BYTES = 64 * 2**20
FREE_LIMIT = 0.2


def check(system: System) -> Finding:
    sizes = {}
    for line in (system.read("proc/meminfo") or "").splitlines():
        name, _, value = line.partition(":")
        sizes[name] = int(value.split()[0]) * 1024
    if "MemTotal" not in sizes:
        return unavailable("/proc/meminfo cannot be read")
    used = sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0)
    available = sizes.get("MemAvailable", sizes.get("MemFree", 0))
    figures = {"swap_used_bytes": used, "memory_available_bytes": available}
    total = sizes["MemTotal"]
    found = f"{used / 2**20:.0f} MiB swapped, {available / 2**30:.1f} GiB of {total / 2**30:.1f} GiB free"
    if used > USED_LIMIT_BYTES:
        return bad(found, "stop what fills memory, then sudo swapoff -a && sudo swapon -a", **figures)
    if available < FREE_LIMIT * total:
        return bad(found, "stop what fills memory, or choose smaller problems", **figures)
    return fine(found, **figures)
