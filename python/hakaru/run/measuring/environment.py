"""The host as a record keeps it, for programs that do not say it themselves."""

import os
import re
from pathlib import Path

from hakaru.base import topology
from hakaru.facts.records.record import Cache, Environment

VARIABLES = re.compile(
    r"^(OMP|OMPI|MPICH|UCX|FI|GOMP|KMP|I_MPI|MKL|OPENBLAS|BLIS|LD_LIBRARY_PATH|LD_PRELOAD)(_|$)"
)
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def here(build: str, command: str, mpi_library: str | None, variables: dict[str, str]) -> Environment:
    """``build`` and ``command``: what stands for the compiler and its flags in a program that nobody knows from inside."""
    uname = os.uname()
    host = topology.here()
    shown = {name: value for name, value in (os.environ | variables).items() if VARIABLES.match(name)}
    return Environment(
        host=uname.nodename,
        kernel=f"{uname.sysname} {uname.release}",
        cpu_model=_line("/proc/cpuinfo", "model name"),
        cpus_online=os.cpu_count(),
        cores_online=host.cores,
        memory_bytes=float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        caches=tuple(caches()),
        compiler=build,
        compiler_flags=command,
        mpi_library=mpi_library or "none",
        variables=dict(sorted(shown.items())),
        load_average=os.getloadavg(),
    )


def steal_s() -> float:
    """Seconds that the hypervisor gave to others since boot, over all processors."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") if len(fields) > 8 else 0.0


def caches() -> list[Cache]:
    found = []
    for folder in sorted(CACHES.glob("index*")):
        text = {name: _first(folder / name) for name in ("level", "type", "size", "shared_cpu_list")}
        size = re.fullmatch(r"(\d+)([KMG]?)", text["size"])
        if not text["level"].isdigit() or not size:
            continue
        bytes_ = int(size[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[size[2]]
        shared = len(topology.parse_list(text["shared_cpu_list"])) or 1
        found.append(Cache(level=int(text["level"]), type=text["type"], bytes=bytes_, shared_by=shared))
    return found


def _first(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _line(path: str, name: str) -> str | None:
    for line in _first(Path(path)).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None
