"""The preloadable tracer, compiled for one MPI library and kept: ``library(compiler)``."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import is_installed, root

LIBRARY = "libhakaru_trace.so"
WATCHER = "libhakaru_watch.so"
FLAGS = ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
BUILD = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-strict-aliasing", "-Wall"]
BUILD += ["-Wno-deprecated-declarations", "-U_FORTIFY_SOURCE", "-static-libgcc", "-Wl,-z,now"]
PACKAGES = {"openmpi": "openmpi-bin libopenmpi-dev", "mpich": "mpich libmpich-dev"}


@dataclass(frozen=True)
class Compiler:
    """An MPI compiler wrapper, and the MPI library that its mpi.h belongs to: ``openmpi``, ``mpich`` or ``other``."""

    path: str
    flavour: str
    header: str


def sources() -> Path:
    return root() / "native" / "trace"


def _run(command: list[str], what: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise UserError(
            what,
            f"'{' '.join(command[:2])} ...' said: {lines[0] if lines else 'nothing'}",
            "check that MPI's development files and a C compiler are installed",
            ENVIRONMENT,
        )
    return done.stdout


def inspect(path: str) -> Compiler | None:
    """The wrapper's library, or None when it cannot compile mpi.h."""
    with tempfile.TemporaryDirectory() as folder:
        include = Path(folder) / "header.c"
        include.write_text("#include <mpi.h>\n")
        names, text = (
            subprocess.run([path, *FLAGS, *option, str(include)], capture_output=True, text=True, check=False)
            for option in (["-dM", "-E"], ["-E", "-P"])
        )
    if names.returncode != 0 or text.returncode != 0:
        return None
    flavour = "openmpi" if "#define OPEN_MPI " in names.stdout else "other"
    flavour = "mpich" if "#define MPICH_VERSION" in names.stdout else flavour
    versions = [line for line in names.stdout.splitlines() if "VERSION" in line and "MPI" in line]
    return Compiler(path, flavour, "\n".join(sorted(versions)) + "\n" + text.stdout)


def find_compiler(flavour: str, beside: Path | None = None) -> Compiler:
    """mpicc of that library: first the one beside the launcher or the library. Raises UserError with the line that installs it."""
    names = [f"mpicc.{flavour}", "mpicc"]
    candidates = [str(beside / name) for name in names] if beside else []
    candidates += [found for name in names if (found := shutil.which(name))]
    for candidate in dict.fromkeys(candidates):
        if os.access(candidate, os.X_OK) and (compiler := inspect(candidate)) and compiler.flavour == flavour:
            return compiler
    packages = PACKAGES.get(flavour, "the development files of this MPI library")
    raise UserError(
        "the tracer cannot be built",
        f"no mpicc of {flavour} was found, and the tracer is compiled for the MPI library of the program",
        f"sudo apt-get install {packages} gcc" if flavour in PACKAGES else f"install {packages}",
        ENVIRONMENT,
    )


def compile_library(compiler: Compiler, folder: Path, table: Path | None = None) -> Path:
    """Generates the wrappers from the compiler's mpi.h and builds the library in ``folder``."""
    preload = sources() / "preload"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mpi.i").write_text(compiler.header)
    generate = [sys.executable, str(preload / "generate.py"), str(folder / "mpi.i"), str(folder)]
    coverage = _run(
        [*generate, *([str(table)] if table else [])], "the tracer's wrappers cannot be generated"
    )
    (folder / "coverage.txt").write_text(coverage)
    files = [*map(str, watch_files()), *map(str, sorted(preload.glob("*.c"))), str(folder / "wrappers.c")]
    command = [
        compiler.path,
        *FLAGS,
        *BUILD,
        "-DHAKARU_TRACE_WITH_MPI",
        f"-I{preload}",
        f"-I{folder}",
        "-o",
        str(folder / LIBRARY),
        *files,
    ]
    _run([*command, "-ldl", "-lpthread"], "the tracer cannot be compiled")
    return folder / LIBRARY


def watch_files() -> list[Path]:
    """C files of the watcher, which is a part of the tracer and a library of its own."""
    return sorted((sources() / "watch").glob("*.c"))


def _every_source() -> list[Path]:
    folders = (sources() / name for name in ("preload", "watch"))
    return sorted([*sources().glob("*.h"), *(path for folder in folders for path in folder.glob("*.*"))])


def library(compiler: Compiler) -> Path:
    """The tracer for this compiler's MPI library, built on first use and kept under .hakaru/trace/."""
    digest = hashlib.sha256(f"{compiler.path}\n{compiler.header}\n{BUILD}".encode())
    for path in _every_source():
        digest.update(path.read_bytes())
    kept = cache_folder() / f"{compiler.flavour}-{digest.hexdigest()[:16]}"
    if (kept / LIBRARY).is_file():
        return kept / LIBRARY
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as work:
        built = Path(work) / "built"
        compile_library(compiler, built)
        try:
            built.rename(kept)
        except OSError:  # another run was faster
            if not (kept / LIBRARY).is_file():
                raise
    return kept / LIBRARY


def watcher() -> Path:
    """The watcher alone, for programs without MPI. Raises UserError when it cannot be compiled."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        raise UserError(
            "the watcher cannot be built", "no C compiler was found", "sudo apt-get install gcc", ENVIRONMENT
        )
    digest = hashlib.sha256(f"{compiler}\n{BUILD}".encode())
    for path in _every_source():
        digest.update(path.read_bytes())
    kept = cache_folder() / f"watcher-{digest.hexdigest()[:16]}" / WATCHER
    if kept.is_file():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as work:
        built = Path(work) / WATCHER
        command = [compiler, *BUILD, "-o", str(built), *map(str, watch_files()), "-ldl", "-lpthread"]
        _run(command, "the watcher cannot be compiled")
        built.replace(kept)
    return kept


def cache_folder() -> Path:
    """.hakaru/trace of a checkout; the user's cache for an installed package."""
    if is_installed():
        return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "hakaru" / "trace"
    return root() / ".hakaru" / "trace"


if __name__ == "__main__":
    found = inspect(sys.argv[1])
    if found is None:
        sys.exit(f"{sys.argv[1]} cannot compile mpi.h")
    print(compile_library(found, Path(sys.argv[2])))
