"""What an executable file is linked with: the MPI library that the loader would take for it."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIBRARY_NAMES = re.compile(r"lib(mpi|mpich|mpifort|mpi_mpifh|mpich_?f\w*|mpi_usempi\w*|mpicxx|mpi_cxx)\.so")


@dataclass(frozen=True)
class Executable:
    """``mpi`` is the MPI library that the loader would take for it, None when there is none."""

    path: str
    mpi: Path | None = None
    flavour: str | None = None
    static: bool = False


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def flavour_of_library(path: Path) -> str:
    """By name where the name says it, else by the text inside."""
    if path.name.startswith("libmpich") or ".so.12" in path.name:
        return "mpich"
    try:
        text = path.read_bytes()
    except OSError:
        return "openmpi"
    return "openmpi" if b"Open MPI" in text else "mpich" if b"MPICH Version" in text else "other"


def _linked_mpi(path: str) -> Path | None:
    """The MPI library that ldd finds for a program or a Python extension."""
    for line in _output(["ldd", path]).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if LIBRARY_NAMES.match(name) and rest and "not found" not in rest:
            library = Path(rest.split(" (")[0])
            if library.name.startswith(("libmpi.so", "libmpich.so")):
                return library
    return None


def _of_mpi4py(python: str) -> Path | None:
    ask = "import mpi4py; mpi4py.rc.initialize = False; import mpi4py.MPI; print(mpi4py.MPI.__file__)"
    extension = _output([python, "-c", ask]).strip().splitlines()
    return _linked_mpi(extension[-1]) if extension and Path(extension[-1]).is_file() else None


def _holds_mpi(path: str) -> bool:
    """An ELF file that defines MPI itself: linked statically."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return False
    return data[:4] == b"\x7fELF" and (b"\0PMPI_Init\0" in data or b"\0MPI_Init\0" in data)


def _python_of(path: str) -> str | None:
    """The interpreter that runs this file, when it is Python."""
    if re.fullmatch(r"(python|pypy)[\d.]*", Path(path).name):
        return path
    try:
        with open(path, "rb") as file:
            first = file.readline(200).decode(errors="replace")
    except OSError:
        return None
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    return shutil.which(words[-1]) if words and "python" in words[-1] else None


def inspect_program(word: str) -> Executable:
    path = shutil.which(word) or word
    library = _linked_mpi(path)
    if library is None and (python := _python_of(path)):
        library = _of_mpi4py(python)
    if library:
        return Executable(path, library, flavour_of_library(library))
    return Executable(path, None, None, static=_holds_mpi(path))


def executable_of(words: Sequence[str]) -> Executable:
    """The first of the words that uses MPI: ``taskset -c 0 ./program`` starts the last one. Else the first one."""
    first = inspect_program(words[0])
    if first.mpi or first.static:
        return first
    for word in words[1:8]:
        if word == ":":
            break
        if not word.startswith("-") and shutil.which(word):
            other = inspect_program(word)
            if other.mpi or other.static:
                return other
    return first
