"""How many cores and hardware threads this process may really use: online, affinity mask, cgroup quota (cgroups(7))."""

from pathlib import PurePosixPath

from hakaru.base import topology
from hakaru.run.doctor.finding import Finding, bad, fine
from hakaru.run.doctor.system import System

title = "usable cores"


def cgroup_folders(system: System) -> list[str]:
    """Folders of this process's cgroup (version 2, or version 1's cpu controller) and of its parents."""
    folders = []
    for line in (system.read("proc/self/cgroup") or "0::/").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = "sys/fs/cgroup" if not controllers else "sys/fs/cgroup/cpu"
        place = PurePosixPath(path)
        folders += [base + str(parent).rstrip("/") for parent in (place, *place.parents)]
    return list(dict.fromkeys(folders))


def quota_cores(system: System) -> float | None:
    """The smallest processor quota above this process, in cores; None when there is none."""
    quotas = []
    for folder in cgroup_folders(system):
        if maximum := system.read(f"{folder}/cpu.max"):
            quota, _, period = maximum.partition(" ")
            if quota != "max":
                quotas.append(int(quota) / int(period or 100000))
        quota, period = system.read(f"{folder}/cpu.cfs_quota_us"), system.read(f"{folder}/cpu.cfs_period_us")
        if quota and period and int(quota) > 0:
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def online_threads(system: System) -> int:
    """Hardware threads that run, whoever may use them."""
    listed = system.read("sys/devices/system/cpu/online")
    return len(topology.parse_list(listed)) if listed else len(system.usable_processors())


def check(system: System) -> Finding:
    mine = topology.here(system.root, system.usable_processors())
    usable, online, quota = mine.hardware_threads, online_threads(system), quota_cores(system)
    known = {"usable_cores": mine.cores, "usable_hardware_threads": usable}
    if quota is not None and quota < usable:
        return bad(
            f"a cgroup allows the time of {quota:g} of {usable} hardware threads and stops who wants more",
            f"use at most {max(int(quota), 1)} ranks x threads, or lift the limit (cpu.max)",
            quota_cores=quota,
            **known,
        )
    if usable < online:
        return bad(
            f"this shell may use {usable} of {online} hardware threads ({mine.words()})",
            "start it without taskset or ask the batch system for more cores",
            **known,
        )
    return fine(f"{mine.words()}; more ranks x threads are marked as oversubscribed", **known)
