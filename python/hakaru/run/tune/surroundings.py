"""Settings around a program beside binding and algorithms: transport, waiting, threads, pages, copies, MPI-IO; a row each.

``needs`` says which programs a row is for: what its file holds, or what its launch line says. Sources: ompi_info --all of Open MPI 4.1 and 5.0,
MPICH 4's README.envvar, the OpenMP specification (6.0, chapter 4), the GNU C library's manual (Tunables).
"""

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hakaru.run.launchers.command_line import CommandLine

Variables = dict[str, str]
TUNABLES = "GLIBC_TUNABLES"  # of the C library, one variable for all of them


@dataclass(frozen=True)
class Row:
    """``library``: the MPI library whose setting it is, "" for any; ``versions``: its major versions, () for all."""

    group: str
    name: str
    variables: Variables
    needs: Callable[["Program"], bool]
    library: str = ""
    versions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Program:
    """What is known of a program from outside: its file's bytes, threads of a rank, and ranks (None: not said)."""

    data: bytes
    threads: int
    ranks: int | None
    c_library: tuple[int, int]

    @classmethod
    def of(cls, line: CommandLine, variables: Variables) -> "Program":
        try:
            data = Path(line.executable.path).read_bytes()
        except OSError:
            data = b""
        said = variables.get("OMP_NUM_THREADS", "1").split(",")[0]
        return cls(data, int(said) if said.isdigit() else 1, line.launch.ranks, _c_library())

    @property
    def compiled(self) -> bool:
        return self.data[:4] == b"\x7fELF"

    def calls(self, name: bytes) -> bool:
        """Of what is no machine code, such as Python, it is not known: then it may."""
        return not self.compiled or name in self.data


def _c_library() -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", platform.libc_ver()[1])
    return (int(match[1]), int(match[2])) if match else (0, 0)


def messages(program: Program) -> bool:
    return program.ranks != 1


def threads(program: Program) -> bool:
    return program.threads > 1 and (program.calls(b"GOMP_") or program.calls(b"__kmpc_"))


def pages(program: Program) -> bool:
    return program.compiled and program.c_library >= (2, 35)


def copies(program: Program) -> bool:
    """Zen 3 says that ``rep movsb`` is fast (FSRM), so the C library copies 2 KiB and more by it, and at some alignments it takes twenty times
    as long as vectors do."""
    return platform.machine() == "x86_64" and program.compiled and program.c_library >= (2, 33)


def files(program: Program) -> bool:
    return program.compiled and (b"MPI_File_" in program.data or b"mpi_file_" in program.data)


ROWS = (
    Row(
        "transport",
        "shared memory copies by the kernel (cma)",
        {"OMPI_MCA_btl_vader_single_copy_mechanism": "cma"},
        messages,
        "openmpi",
        (4,),
    ),  # fmt: skip
    Row(
        "transport",
        "shared memory copies in and out",
        {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"},
        messages,
        "openmpi",
        (4,),
    ),  # fmt: skip
    Row(
        "transport",
        "shared memory copies by the kernel (cma)",
        {"OMPI_MCA_smsc": "cma"},
        messages,
        "openmpi",
        (5,),
    ),
    Row("transport", "ob1", {"OMPI_MCA_pml": "ob1"}, messages, "openmpi"),
    Row("transport", "UCX", {"OMPI_MCA_pml": "ucx"}, messages, "openmpi"),
    Row(
        "transport",
        "shared memory copies by the kernel (cma)",
        {"MPIR_CVAR_CH4_CMA_ENABLE": "1"},
        messages,
        "mpich",
    ),
    Row("transport", "shared memory copies in and out", {"MPIR_CVAR_CH4_CMA_ENABLE": "0"}, messages, "mpich"),
    Row("waiting", "gives way", {"OMPI_MCA_mpi_yield_when_idle": "1"}, messages, "openmpi"),
    Row("threads", "close, a core each", {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}, threads),
    Row("threads", "spread, a core each", {"OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"}, threads),
    Row("threads", "spin while they wait", {"OMP_WAIT_POLICY": "active"}, threads),
    Row("threads", "sleep while they wait", {"OMP_WAIT_POLICY": "passive"}, threads),
    Row("pages", "huge pages for what malloc gives", {TUNABLES: "glibc.malloc.hugetlb=1"}, pages),
    Row(
        "copies",
        "memcpy by vectors, never by rep movsb",
        {TUNABLES: "glibc.cpu.x86_rep_movsb_threshold=0x40000000"},
        copies,
    ),
    Row("files", "OMPIO", {"OMPI_MCA_io": "ompio"}, files, "openmpi"),
    Row("files", "ROMIO", {"OMPI_MCA_io": "^ompio"}, files, "openmpi"),
)


def rows(library: str, version: int, program: Program) -> list[Row]:
    """Those that can matter to a program of this MPI library."""
    return [
        row
        for row in ROWS
        if row.library in ("", library)
        and (not row.versions or version in row.versions)
        and row.needs(program)
    ]
