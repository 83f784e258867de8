"""Every program: compiled, held to one result, run in turns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.topology import usable_cores
from hakaru.own.bench.interleaving import interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.told import Told, require_same, told

from .loops import AFTER, BITS, FIRST, KERNELS, MEMORY, NEAR, SECOND, WHOLE, Shape, cases
from .places import Caches
from .settings import Run, Settings

FOLDER = Path(__file__).with_name("programs")
SOURCE = {"c": ("{}.c", "kernel.h"), "fortran": ("{}.F90", "fortran.h")}
OPENMP = {"GNU": "-fopenmp", "LLVM": "-fopenmp", "Intel": "-qopenmp", "NVIDIA": "-mp"}
CEILINGS = ("cycle", "product", "division", "cache", "memory")


@dataclass(frozen=True)
class Variant:
    """``loop``: a kernel or a case; ``form`` of it; ``size``: where its data lie, or the name of a size; ``work``: executions of the innermost statement in
    a call; ``threads`` of it."""

    compiler: Compiler
    loop: str
    form: str
    size: str
    shape: Shape
    work: int
    macros: tuple[str, ...] = ()
    threads: int = 1

    @property
    def name(self) -> str:
        """As rows call it."""
        return f"{self.loop}/{self.form}/{self.size}/{self.compiler.name}"

    @property
    def result(self) -> str:
        """Programs of one result: all forms and languages."""
        return f"{self.loop}/{self.size}{'/bits' if self.form == BITS else ''}"


def variants(settings: Settings, run: Run, caches: Caches) -> Iterator[Variant]:
    for compiler in compilers.found("c", "fortran"):
        yield from of_kernels(compiler, run, caches)
        yield from of_cases(compiler, settings, run)


def of_kernels(compiler: Compiler, run: Run, caches: Caches) -> Iterator[Variant]:
    for kernel in KERNELS:
        if kernel.name not in run.kernels:
            continue
        for place in kernel.places:
            shape = kernel.shape(caches.bytes_in(place, run.memory_times))
            yield Variant(compiler, kernel.name, WHOLE, place, shape, kernel.work(shape))
            if place == FIRST and kernel.arithmetic:
                yield Variant(compiler, kernel.name, BITS, place, shape, kernel.work(shape), ("-DBITS",))


def of_cases(compiler: Compiler, settings: Settings, run: Run) -> Iterator[Variant]:
    for case in cases(settings):
        extents = {size.name: size.extents[case.name] for size in run.sizes if case.name in size.extents}
        threads = min(run.threads, usable_cores()) if case.threads else 1
        for form in case.forms:
            if not extents or (form.c_only and compiler.language != "c"):
                continue
            shapes = {name: case.shape(form, extent, settings) for name, extent in extents.items()}
            if near := case.near(form, settings):
                shapes[NEAR] = near
            for size, shape in shapes.items():
                work = shape.elements // (2 if case.threads else 1)
                yield Variant(
                    compiler,
                    case.name,
                    form.name,
                    size,
                    shape,
                    work,
                    openmp(compiler, threads, form.macros),
                    threads,
                )


def openmp(compiler: Compiler, threads: int, macros: tuple[str, ...]) -> tuple[str, ...]:
    if not any(one.startswith("-DSCHEDULE") for one in macros):
        return macros
    return *macros, f"-DTHREADS={threads}", OPENMP.get(compiler.family.split()[0], "-fopenmp")


def driver(folder: Path) -> Path:
    """The object that calls a kernel, takes the time and counts events. Raises UserError."""
    texts = {name: (FOLDER / name).read_text() for name in ("driver.c", "counters.h")}
    return compilers.program(
        compilers.found("c")[0], ["-std=gnu11", "-O2", compilers.OBJECT], texts, folder, "driver.o"
    )


def build(variant: Variant, flags: tuple[str, ...], folder: Path, with_driver: Path) -> Path:
    """Raises UserError."""
    shape = variant.shape
    extents = zip(("ROWS", "COLUMNS", "LEADING"), (shape.rows, shape.columns, shape.leading), strict=True)
    words = [*flags, *(f"-D{name}={value}" for name, value in extents), *variant.macros]
    names = [one.format(variant.loop) for one in SOURCE[variant.compiler.language]]
    texts = {name: (FOLDER / name).read_text() for name in names}
    return compilers.program(variant.compiler, words, texts, folder, variant.loop, [with_driver])


def ceilings(flags: tuple[str, ...], folder: Path) -> Path:
    """Raises UserError."""
    text = {"ceilings.c": (FOLDER / "ceilings.c").read_text()}
    return compilers.program(
        compilers.found("c")[0], ["-std=gnu11", *flags, "-ffast-math"], text, folder, "ceilings"
    )


def words(variant: Variant, samples: int, least_s: float) -> tuple[object, ...]:
    """Arguments of a program."""
    return *variant.shape.words, variant.threads, samples, least_s


def checked(built: Mapping[Variant, Path]) -> tuple[dict[Variant, Path], dict[Variant, UserError]]:
    """(programs that ran, those that failed, and why). Raises UserError when two of one result have not the same bits: all sums and products are
    exact, so that their order does not matter."""
    bits: dict[str, dict[str, str]] = {}
    failed = {}
    for variant, path in built.items():
        try:
            found = told(path, words(variant, 0, 0.0)).text("bits")
            bits.setdefault(variant.result, {})[variant.name] = found
        except UserError as error:
            failed[variant] = error
    for own in bits.values():
        require_same(own)
    return {one: path for one, path in built.items() if one not in failed}, failed


@dataclass(frozen=True)
class Times:
    """Round by round: ``seconds`` of an execution of the innermost statement; ``waited``: the share of the threads' time that they wait for the last
    one, of those with threads; ``ceilings``: seconds by name (variants.CEILINGS)."""

    seconds: dict[Variant, list[float]]
    waited: dict[Variant, list[float]]
    ceilings: dict[str, list[float]]


def timed(
    built: Mapping[Variant, Path], bounds: Path, run: Run, caches: Caches, say: Callable[[str], None]
) -> Times:
    """Programs take turns."""
    waited: dict[Variant, list[float]] = {one: [] for one in built if one.threads > 1}
    limits: dict[str, list[float]] = {name: [] for name in CEILINGS}
    names = {variant.name: variant for variant in built}
    say(f"{len(built)} programs in {run.rounds} rounds")

    def sample(variant: Variant) -> float:
        found = told(built[variant], words(variant, run.samples, run.least_s))
        if variant in waited:
            waited[variant].append(min(found.numbers("waited")))
        return min(found.numbers("seconds")) / variant.work

    def bound() -> float:
        numbers = [max(1, caches.bytes_in(place, run.memory_times) // 16) for place in (SECOND, MEMORY)]
        found = told(bounds, (run.samples, *numbers))
        for name, values in limits.items():
            values.append(min(found.numbers(name)))
        return limits["cycle"][-1]

    functions: dict[str, Callable[[], float]] = {"": bound}
    functions |= {name: (lambda one=one: sample(one)) for name, one in names.items()}
    samples = interleave(functions, run.rounds, warmup=0).samples
    return Times({one: samples[name] for name, one in names.items()}, waited, limits)


def counted(path: Path, variant: Variant, events: Iterable[str], least_s: float) -> Told:
    """One sample with events (counters.py)."""
    return told(path, (*words(variant, 1, least_s), *events))


__all__ = [
    "AFTER",
    "Times",
    "Variant",
    "build",
    "ceilings",
    "checked",
    "counted",
    "driver",
    "timed",
    "variants",
]
