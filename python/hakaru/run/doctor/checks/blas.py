"""The system's BLAS, and whether it knows this processor."""

import re

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import GENERIC, System

title = "BLAS"

LINKS = "etc/alternatives/libblas.so.3*"
WIDE = {  # processor feature -> OpenBLAS kernels that use it, first the one to ask for
    "avx512f": ("SkylakeX", "Cooperlake", "SapphireRapids"),
    "avx2": ("Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"),
}
BLIS_WIDE = {"avx512f": "skx", "avx2": "zen3"}  # processor feature -> BLIS's kernel that uses it
# By which BLIS knows processors of Intel with AVX-512.
SERIES = re.compile(r"Platinum|Gold|Silver|Bronze| W-| D-|Core")


def check(system: System) -> Finding:
    links = system.glob(LINKS)
    library = next(
        (real for link in links if (real := system.real_path(str(link.relative_to(system.root))))), None
    )
    if library is None:
        return unavailable("the system has no BLAS of its own", "hakaru's own programs use BLIS")
    if "openblas" in library:
        return openblas(system, library)
    if "blis" in library:
        return blis(system, library)
    if "mkl" in library:
        return fine("MKL: it chooses its kernel by itself")
    return bad(
        "programs linked with -lblas get the reference BLAS",
        "sudo apt-get install libopenblas0-pthread or libblis4-openmp; hakaru's own programs use BLIS",
    )


def openblas(system: System, library: str) -> Finding:
    kernel = system.library_text(library, "openblas_get_corename")
    if kernel is None:
        return unavailable("OpenBLAS does not say which kernel it chose")
    flags = system.cpu_flags()
    for flag, kernels in WIDE.items():
        if flag in flags:
            if kernel.lower() in (known.lower() for known in kernels):
                return fine(f"OpenBLAS with the {kernel} kernel")
            return bad(
                f"OpenBLAS chose the {kernel} kernel, which does not use {flag.upper()}",
                f"export OPENBLAS_CORETYPE={kernels[0]}",
            )
    return fine(f"OpenBLAS with the {kernel} kernel")


def blis(system: System, library: str) -> Finding:
    found = system.blis_kernels(library)
    if found is None:
        return fine("BLIS: it chooses its kernel by itself")
    chosen, names = found
    flags = system.cpu_flags()
    for flag, kernel in BLIS_WIDE.items():
        if flag in flags and kernel in names and chosen in _too_narrow(system, flag):
            return bad(
                f"BLIS does not know this processor and took its {chosen} kernel, without {flag.upper()}",
                f"export BLIS_ARCH_TYPE={names.index(kernel)}; hakaru's own programs do so where they can tell",
            )
    return fine(f"BLIS with the {chosen} kernel")


def _too_narrow(system: System, flag: str) -> tuple[str, ...]:
    """Kernels of BLIS that do not use a feature and that it takes where it does not know the processor."""
    unnamed = flag == "avx512f" and not SERIES.search(system.cpu_name())
    return (GENERIC, "haswell") if unnamed else (GENERIC,)
