"""The system's BLAS, and whether it knows this processor."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import GENERIC, System

title = "BLAS"

LINKS = "etc/alternatives/libblas.so.3*"
WIDE = {  # processor feature -> OpenBLAS kernels that use it, first the one to ask for
    "avx512f": ("SkylakeX", "Cooperlake", "SapphireRapids"),
    "avx2": ("Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"),
}
BLIS_WIDE = {"avx512f": "skx", "avx2": "zen3"}  # processor feature -> BLIS's kernel that uses it


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
        if chosen == GENERIC and flag in flags and kernel in names:
            return bad(
                f"BLIS does not know this processor and took its {GENERIC} kernel, without {flag.upper()}",
                f"export BLIS_ARCH_TYPE={names.index(kernel)}; hakaru's own programs do so where they can tell",
            )
    return fine(f"BLIS with the {chosen} kernel")
