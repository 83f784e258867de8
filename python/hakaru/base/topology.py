"""The processors of this host that this process may use: hardware threads, told apart by core, socket and memory node.

Read from the kernel's files under /sys, which hwloc reads, too: they are there before anything is built and where only the Python half is
installed. The MPI launchers ask hwloc; the tests of ``run/launchers`` hold all to the same made-up hosts.
"""

import functools
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path("/")
CPUS = "sys/devices/system/cpu"
NODES = "sys/devices/system/node"


@dataclass(frozen=True)
class Processor:
    """One hardware thread by the kernel's number; ``core`` is the first processor of its core."""

    number: int
    core: int
    socket: int
    node: int


@dataclass(frozen=True)
class Topology:
    """``processors``: those that this process may use. ``confined``: its affinity mask leaves out some that its control group grants, which
    no MPI launcher looks at: what it binds may lie outside of the mask."""

    processors: tuple[Processor, ...]
    confined: bool = False

    @property
    def numbers(self) -> list[int]:
        return [one.number for one in self.processors]

    @property
    def hardware_threads(self) -> int:
        return len(self.processors)

    @property
    def by_core(self) -> list[list[int]]:
        """Processors of each core, cores in the order of socket, memory node and number, as hwloc numbers them."""
        groups: dict[tuple[int, int, int], list[int]] = {}
        for one in self.processors:
            groups.setdefault((one.socket, one.node, one.core), []).append(one.number)
        return [groups[key] for key in sorted(groups)]

    @property
    def cores(self) -> int:
        return len({one.core for one in self.processors})

    @property
    def threads_of_core(self) -> int:
        """Hardware threads that every usable core has."""
        return min((len(core) for core in self.by_core), default=1)

    @property
    def sockets(self) -> int:
        return len({one.socket for one in self.processors})

    @property
    def nodes(self) -> int:
        """Memory (NUMA) nodes."""
        return len({one.node for one in self.processors})

    def words(self) -> str:
        """``2 cores``, or ``2 cores with 2 hardware threads each``."""
        text = f"{self.cores} core{'' if self.cores == 1 else 's'}"
        if self.hardware_threads == self.cores:
            return text
        if self.hardware_threads == self.cores * self.threads_of_core:
            return f"{text} with {self.threads_of_core} hardware threads each"
        return f"{text} with {self.hardware_threads} hardware threads"


def here(root: Path = ROOT, allowed: Iterable[int] | None = None) -> Topology:
    """The host below ``root``. ``allowed``: the affinity mask; None: this process's own, or all of a host that is not this one."""
    if allowed is None and root == ROOT:
        allowed = os.sched_getaffinity(0)
    return _read(root, None if allowed is None else frozenset(allowed))


def usable_cores() -> int:
    """Cores that this process may use, each counted once however many hardware threads it has."""
    return here().cores


@functools.lru_cache(maxsize=16)
def _read(root: Path, allowed: frozenset[int] | None) -> Topology:
    granted = _granted(root)
    chosen = (
        granted if allowed is None else granted & allowed or allowed
    )  # a mask that the files do not know is believed
    nodes = _memory_nodes(root)
    found: dict[int, Processor] = {}
    for number in sorted(chosen):
        if number in found:
            continue
        siblings = _siblings(root, number)
        socket = _number(root / CPUS / f"cpu{number}/topology/physical_package_id")
        for other in siblings & chosen:
            found[other] = Processor(other, min(siblings), socket, nodes.get(other, 0))
    return Topology(tuple(found[number] for number in sorted(found)), confined=chosen < granted)


def parse_list(text: str) -> set[int]:
    """``0-3,8`` as the kernel writes lists; strides and an empty list are allowed. Raises ValueError for anything else."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        ends = part.split("-")
        numbers.update(range(int(ends[0]), int(ends[-1]) + 1))
    return numbers


def _listed(path: Path) -> set[int]:
    """Of a list that is missing or cannot be understood: nothing."""
    try:
        return parse_list(path.read_text())
    except (OSError, ValueError):
        return set()


def _number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0


def _siblings(root: Path, number: int) -> set[int]:
    """Hardware threads of the core that has this one; itself where the kernel does not say."""
    folder = root / CPUS / f"cpu{number}/topology"
    return (_listed(folder / "core_cpus_list") or _listed(folder / "thread_siblings_list")) | {number}


def _memory_nodes(root: Path) -> dict[int, int]:
    found = {}
    for folder in (root / NODES).glob("node[0-9]*"):
        for processor in _listed(folder / "cpulist"):
            found[processor] = int(folder.name.removeprefix("node"))
    return found


def _granted(root: Path) -> set[int]:
    """Processors that are online and that the control group (cgroups(7), both versions) lets this process use."""
    online = _listed(root / CPUS / "online")
    for folder in _cpuset_folders(root):
        for name in ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"):
            if allowed := _listed(folder / name):
                return online & allowed if online else allowed
    return online


def _cpuset_folders(root: Path) -> list[Path]:
    """Where the control group of this process has its cpuset: the innermost folder first."""
    try:
        groups = [line.split(":", 2) for line in (root / "proc/self/cgroup").read_text().splitlines()]
        mounts = [line.split() for line in (root / "proc/mounts").read_text().splitlines()]
    except OSError:
        return []
    folders = []
    for _, controllers, path in (group for group in groups if len(group) == 3):
        for mount in (words for words in mounts if len(words) > 3):
            version_1 = mount[2] == "cgroup" and "cpuset" in mount[3].split(",")
            if (not controllers and mount[2] == "cgroup2") or (
                version_1 and "cpuset" in controllers.split(",")
            ):
                place = PurePosixPath(path.lstrip("/"))
                folders += [root / mount[1].lstrip("/") / part for part in (place, *place.parents)]
    return folders
