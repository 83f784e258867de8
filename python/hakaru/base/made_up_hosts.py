"""Hosts that are not here, as the kernel's files: hwloc, and with it the MPI launchers, reads them below HWLOC_FSROOT, and so does ``topology``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MadeUp:
    """Processors are numbered as most BIOSes do: the first hardware threads of all cores, then the second ones. ``offline`` are switched off;
    ``granted`` are those of a control group (None: all)."""

    sockets: int = 1
    nodes_of_socket: int = 1
    cores_of_node: int = 2
    threads_of_core: int = 2
    offline: tuple[int, ...] = ()
    granted: tuple[int, ...] | None = None

    @property
    def cores(self) -> int:
        return self.sockets * self.nodes_of_socket * self.cores_of_node

    @property
    def online(self) -> list[int]:
        return [one for one in range(self.cores * self.threads_of_core) if one not in self.offline]

    def core(self, processor: int) -> int:
        return processor % self.cores

    def node(self, processor: int) -> int:
        return self.core(processor) // self.cores_of_node

    def socket(self, processor: int) -> int:
        return self.node(processor) // self.nodes_of_socket


HOSTS = {
    "two cores": MadeUp(threads_of_core=1),
    "hardware threads": MadeUp(),
    "two sockets": MadeUp(sockets=2, nodes_of_socket=2),
    "half of the cores": MadeUp(cores_of_node=4, granted=(0, 1, 4, 5)),
    "offline hardware threads": MadeUp(cores_of_node=4, offline=(5, 6, 7)),
    "an offline core": MadeUp(cores_of_node=4, threads_of_core=1, offline=(1,)),
    "four hardware threads": MadeUp(threads_of_core=4),
}


def write(host: MadeUp, root: Path) -> Path:
    """The files below ``root``, which is returned."""
    _processors(host, root / "sys/devices/system/cpu")
    _memory(host, root / "sys/devices/system/node")
    lines = [f"processor\t: {one}\nphysical id\t: {host.socket(one)}\n" for one in host.online]
    _file(root / "proc/cpuinfo", "\n".join(lines))
    _file(root / "proc/meminfo", "MemTotal:       8388608 kB")
    _file(root / "proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0" if host.granted else "")
    if host.granted:
        _file(root / "proc/self/cgroup", "0::/job")
        group = root / "sys/fs/cgroup"
        _file(group / "cgroup.controllers", "cpuset")
        _file(group / "job/cpuset.cpus.effective", _list(host.granted))
        _file(group / "job/cpuset.mems.effective", "0")
    return root


def _processors(host: MadeUp, folder: Path) -> None:
    last = host.cores * host.threads_of_core - 1
    for name in ("possible", "present"):
        _file(folder / name, f"0-{last}")
    _file(folder / "online", _list(host.online))
    for one in range(1, last + 1):
        _file(folder / f"cpu{one}/online", str(int(one in host.online)))
    for one in host.online:
        place = folder / f"cpu{one}/topology"
        core = [other for other in host.online if host.core(other) == host.core(one)]
        socket = [other for other in host.online if host.socket(other) == host.socket(one)]
        _file(place / "core_id", str(host.core(one) % (host.nodes_of_socket * host.cores_of_node)))
        _file(place / "physical_package_id", str(host.socket(one)))
        for name, members in (("thread_siblings", core), ("core_cpus", core), ("core_siblings", socket)):
            _file(place / name, _mask(members))
            _file(place / f"{name}_list", _list(members))


def _memory(host: MadeUp, folder: Path) -> None:
    count = host.sockets * host.nodes_of_socket
    for name in ("online", "possible"):
        _file(folder / name, _list(range(count)))
    for node in range(count):
        members = [one for one in host.online if host.node(one) == node]
        _file(folder / f"node{node}/cpumap", _mask(members))
        _file(folder / f"node{node}/cpulist", _list(members))
        _file(folder / f"node{node}/meminfo", f"Node {node} MemTotal:       8388608 kB")
        _file(folder / f"node{node}/distance", " ".join("10" if k == node else "20" for k in range(count)))


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def _list(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _mask(numbers: Iterable[int]) -> str:
    """As the kernel writes bitmaps: words of 32 bits, the highest first."""
    value = sum(1 << one for one in numbers)
    words = [f"{value >> shift & 0xFFFFFFFF:08x}" for shift in range(0, max(value.bit_length(), 1), 32)]
    return ",".join(reversed(words))
