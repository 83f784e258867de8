"""Where hakaru's own files and the user's results live."""

import functools
import os
from pathlib import Path


@functools.cache
def _package() -> Path:
    """The folder ``hakaru`` of the Python modules."""
    return Path(__file__).resolve().parent.parent


@functools.cache
def root() -> Path:
    """Folder that holds CMakeLists.txt, apps/, probes/, schema/: the checkout, or the copy inside an installed package."""
    package = _package()
    for candidate in (package / "source", package.parent.parent):
        if (candidate / "CMakeLists.txt").is_file():
            return candidate
    raise RuntimeError(f"hakaru's sources are missing beside {package}")


def is_installed() -> bool:
    """True when this is a copy made by pip, whose sources lie inside the package."""
    return root().parent == _package()


def mpi_flavour() -> str:
    """``openmpi`` (default) or ``mpich``, from HAKARU_MPI."""
    from hakaru.base.errors import UserError

    flavour = os.environ.get("HAKARU_MPI", "openmpi")
    if flavour not in ("openmpi", "mpich"):
        raise UserError(
            f"HAKARU_MPI={flavour} is not known",
            "it names the MPI library to build with",
            "use openmpi or mpich",
        )
    return flavour


def build_folder() -> Path:
    """Folder of the built programs for the chosen MPI library: HAKARU_BUILD, or build/release[-mpich] of a checkout."""
    if override := os.environ.get("HAKARU_BUILD"):
        return Path(override)
    name = "release" if mpi_flavour() == "openmpi" else f"release-{mpi_flavour()}"
    if is_installed():
        from hakaru import __version__

        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        return cache / "hakaru" / __version__ / name
    return root() / "build" / name


def results_folder(option: str | Path | None = None) -> Path:
    """The results folder: --results, else HAKARU_RESULTS, else hakaru-results/ where the user stands."""
    return Path(option or os.environ.get("HAKARU_RESULTS") or "hakaru-results")
