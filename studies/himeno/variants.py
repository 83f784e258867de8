"""The compiled programs: one loop by every compiler, in each mode, held to the exact residual; run in turns with launches of the app."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.topology import usable_cores
from hakaru.own.bench.interleaving import interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.told import require_close, told

from . import exact
from .settings import Run, Settings

SCALAR, AUTOMATIC, OPENMP, OUTER, INNER, COPIES, DOUBLE = (
    "scalar",
    "automatic",
    "openmp",
    "mpi outermost",
    "mpi innermost",
    "copies",
    "double",
)
FOLDER = Path(__file__).with_name("programs")
SOURCE = {"c": "jacobi.c", "fortran": "jacobi.F90"}
TYPES = {"single": ("float", "c_float"), "double": ("double", "c_double")}
PARALLEL = {
    OPENMP: {"GNU": ("-fopenmp",), "LLVM": ("-fopenmp",), "Intel": ("-qopenmp",), "NVIDIA": ("-mp",)},
    AUTOMATIC: {"GNU": ("-ftree-parallelize-loops={}",)},
}
CHECKED = 3  # iterations of the residual that a program prints


@dataclass(frozen=True)
class Variant:
    """``cores`` that take part; of COPIES as many programs at once as there are."""

    compiler: Compiler
    mode: str
    size: str
    cores: int = 1

    @property
    def precision(self) -> str:
        return "double" if self.mode == DOUBLE else "single"

    @property
    def name(self) -> str:
        """As rows call it."""
        return f"{self.mode}/{self.size}/{self.compiler.name}"


def cores(run: Run) -> int:
    return min(run.cores, usable_cores())


def variants(run: Run) -> Iterator[Variant]:
    many = cores(run)
    for compiler in compilers.found("c", "fortran"):
        for size in run.sizes:
            yield Variant(compiler, SCALAR, size)
            for mode, families in PARALLEL.items():
                if many > 1 and compiler.family.split()[0] in families:
                    yield Variant(compiler, mode, size, many)
            if many > 1 and size in run.copies:
                yield Variant(compiler, COPIES, size, many)
            if size in run.double:
                yield Variant(compiler, DOUBLE, size)


def driver(folder: Path, precision: str) -> Path:
    """Raises UserError."""
    words = ["-std=gnu11", "-O2", compilers.OBJECT, f"-DREAL={TYPES[precision][0]}"]
    text = (FOLDER / "driver.c").read_text()
    return compilers.program(compilers.found("c")[0], words, {"driver.c": text}, folder, "driver.o")


def build(variant: Variant, settings: Settings, folder: Path, drivers: Mapping[str, Path]) -> Path:
    """Raises UserError."""
    grid = exact.grid_of(settings, variant.size)
    real, kind = TYPES[variant.precision]
    words = [f"-D{name}={extent}" for name, extent in zip(("NX", "NY", "NZ"), grid, strict=True)]
    words += [f"-DREAL={real}", f"-DKIND_={kind}", f"-DTHREADS={variant.cores}"]
    more = PARALLEL.get(variant.mode, {}).get(variant.compiler.family.split()[0], ())
    words += [one.format(variant.cores) for one in more]
    file = SOURCE[variant.compiler.language]
    text = {file: (FOLDER / file).read_text()}
    flags = [*settings.flags, *words]
    return compilers.program(variant.compiler, flags, text, folder, "jacobi", [drivers[variant.precision]])


def checked(
    built: Mapping[Variant, Path], settings: Settings
) -> tuple[dict[Variant, Path], dict[Variant, UserError]]:
    """(programs with the exact residual, the others and why)"""
    right, wrong = {}, {}
    for variant, path in built.items():
        grid = exact.grid_of(settings, variant.size)
        try:
            found = told(path, (*grid, 0, 0.0)).number("gosa")
            expected = {"the exact solution": exact.gosa(grid, CHECKED), variant.name: found}
            require_close(expected, exact.tolerance(grid, CHECKED, variant.precision))
            right[variant] = path
        except UserError as error:
            wrong[variant] = error
    return right, wrong


def speed(path: Path, variant: Variant, settings: Settings, run: Run) -> float:
    """Flop/s by the benchmark's count; of COPIES the mean of one copy while all run."""
    grid = exact.grid_of(settings, variant.size)
    words = (*grid, run.samples, run.least_s)

    def one(_: int) -> float:
        return exact.FLOPS * exact.interior(grid) / min(told(path, words).numbers("seconds"))

    count = variant.cores if variant.mode == COPIES else 1
    with ThreadPoolExecutor(count) as pool:
        found = list(pool.map(one, range(count)))
    return sum(found) / count


Speeds = dict[str, list[float]]  # flop/s round by round, by MODE/SIZE/COLUMN


def timed(
    built: Mapping[Variant, Path],
    launches: Mapping[str, Callable[[], float]],
    settings: Settings,
    run: Run,
    say: Callable[[str], None],
) -> Speeds:
    """Programs and launches of the app take turns."""
    functions: dict[str, Callable[[], float | None]] = {
        one.name: (lambda one=one, path=path: speed(path, one, settings, run)) for one, path in built.items()
    }
    functions |= launches
    say(f"{len(functions)} programs in {run.rounds} rounds")
    return dict(interleave(functions, run.rounds, warmup=0).samples) if functions else {}
