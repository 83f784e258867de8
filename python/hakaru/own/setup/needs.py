"""What hakaru needs from the system: how it is found, and which Debian package brings it."""

import importlib.util
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.paths import mpi_flavour

# Of silicon; Debian's quantum-espresso recommends it, no more.
PSEUDOPOTENTIAL = "/usr/share/espresso/pseudo/Si.pbe-nl-rrkjus_psl.1.0.0.UPF"


def program(*names: str) -> Callable[[], bool]:
    """Found when one of the programs is on PATH."""
    return lambda: any(shutil.which(name) for name in names)


def include_folders() -> list[Path]:
    """Where a compiler looks for headers: CPATH, CMAKE_PREFIX_PATH, and the system's own folders."""
    listed = [Path(part) for part in os.environ.get("CPATH", "").split(":") if part]
    listed += [Path(part) / "include" for part in os.environ.get("CMAKE_PREFIX_PATH", "").split(":") if part]
    multiarch = sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"
    return [*listed, Path("/usr/local/include"), Path("/usr/include"), Path("/usr/include") / multiarch]


def header(*names: str) -> Callable[[], bool]:
    """Found when one of the headers lies in a folder where the compiler looks."""
    return lambda: any((folder / name).is_file() for folder in include_folders() for name in names)


def python_module(name: str) -> Callable[[], bool]:
    """Found when the running interpreter can import it."""
    return lambda: importlib.util.find_spec(name) is not None


def file(path: str) -> Callable[[], bool]:
    return lambda: Path(path).exists()


def mpi(flavour: str, answer: str) -> Callable[[], bool]:
    """Found as ``mpicxx.<flavour>`` (Debian), or as an ``mpicxx`` whose command line names that library."""

    def found() -> bool:
        if shutil.which(f"mpicxx.{flavour}"):
            return True
        wrapper = shutil.which("mpicxx")
        if not wrapper:
            return False
        shown = subprocess.run(
            [wrapper, "-show"], capture_output=True, text=True, errors="replace", check=False
        )
        return answer in shown.stdout.lower()

    return found


@dataclass(frozen=True)
class Need:
    """One thing to be found; its purpose is ``environment``, ``build``, an MPI library, ``lab``, ``slurm``, ``fortran``, ``arrays``, ``test``,
    or ``packaged`` (programs of others that the long tests measure).

    ``of_leaves``: without it the leaves and tools that need it are left out by name, and all others are built."""

    name: str
    found: Callable[[], bool]
    packages: tuple[str, ...]
    purpose: str = "build"
    of_leaves: bool = False


NEEDS = (
    Need("Python's venv module", python_module("ensurepip"), ("python3-venv",), "environment"),
    Need("a C++ compiler", program(os.environ.get("CXX", "g++"), "c++"), ("g++",)),
    Need("CMake", program("cmake"), ("cmake",)),
    Need("Ninja", program("ninja"), ("ninja-build",)),
    Need("pkg-config", program("pkg-config", "pkgconf"), ("pkg-config",)),
    Need("FFTW 3", header("fftw3.h"), ("libfftw3-dev",), of_leaves=True),
    Need("hwloc", header("hwloc.h"), ("libhwloc-dev",), of_leaves=True),
    Need("fmt", header("fmt/format.h"), ("libfmt-dev",)),
    Need("CLI11", header("CLI/CLI.hpp"), ("libcli11-dev",)),
    Need("nlohmann-json", header("nlohmann/json.hpp"), ("nlohmann-json3-dev",)),
    Need("GoogleTest", header("gtest/gtest.h"), ("libgtest-dev",)),
    Need("Highway", header("hwy/highway.h"), ("libhwy-dev",), of_leaves=True),
    Need(
        "BLIS",
        header("blis-openmp/blis.h", "blis/blis.h", "blis.h"),
        ("libblis-openmp-dev", "libblis-dev"),
        of_leaves=True,
    ),
    Need("LAPACKE", header("lapacke.h"), ("liblapacke-dev",), of_leaves=True),
    Need("toml++", header("toml++/toml.h"), ("libtomlplusplus-dev",), of_leaves=True),
    Need("libdw", header("elfutils/libdwfl.h"), ("libdw-dev",), of_leaves=True),
    Need("OTF2", header("otf2/otf2.h"), ("libopen-trace-format2-dev",), of_leaves=True),
    Need("Open MPI", mpi("openmpi", "openmpi"), ("openmpi-bin", "libopenmpi-dev"), "openmpi"),
    Need("MPICH", mpi("mpich", "mpich"), ("mpich", "libmpich-dev"), "mpich"),
    Need("the program ip", program("ip"), ("iproute2",), "lab"),
    Need("the program nsenter", program("nsenter"), ("util-linux",), "lab"),
    Need("the program unshare", program("unshare"), ("util-linux",), "lab"),
    Need("the program chrt", program("chrt"), ("util-linux",), "lab"),
    Need("the program taskset", program("taskset"), ("util-linux",), "lab"),
    Need("Slurm", program("slurmctld"), ("slurm-wlm",), "slurm"),
    Need("munge", program("munged"), ("munge",), "slurm"),
    Need("a Fortran compiler", program("gfortran"), ("gfortran",), "fortran", of_leaves=True),
    Need("parallel HDF5 of Open MPI", header("hdf5/openmpi/hdf5.h"), ("libhdf5-openmpi-dev",), "arrays"),
    Need("PnetCDF", header("pnetcdf.h"), ("libpnetcdf-dev",), "arrays"),
    Need("otf2-print", program("otf2-print"), ("otf2-tools",), "test"),
    Need(
        "a browser for the report's tests",
        program("chromium", "chromium-browser", "google-chrome"),
        ("chromium",),
        "test",
    ),
    Need("LAMMPS", program("lmp"), ("lammps",), "packaged"),
    Need("HPCC", program("hpcc"), ("hpcc",), "packaged"),
    Need("Quantum ESPRESSO", program("pw.x"), ("quantum-espresso",), "packaged"),
    Need("its pseudopotentials", file(PSEUDOPOTENTIAL), ("quantum-espresso-data",), "packaged"),
    Need("mpi4py", file("/usr/lib/python3/dist-packages/mpi4py"), ("python3-mpi4py",), "packaged"),
)


def of_build() -> tuple[str, ...]:
    """The purposes of building."""
    return ("build", mpi_flavour(), "fortran")


def missing(purposes: tuple[str, ...], needs: tuple[Need, ...] = NEEDS) -> list[Need]:
    """The needs of these purposes that are not found, in the order of the table."""
    return [need for need in needs if need.purpose in purposes and not need.found()]
