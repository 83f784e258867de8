"""Every loop in every language, compiler and set of options, with vectors and without: compiled, checked, run in turns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.own.bench.interleaving import interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.told import require_close, told

from . import loops, reports
from .loops import Loop
from .reports import Claim
from .settings import Options, Settings, Size

DRIVER = Path(__file__).with_name("programs") / "driver.c"


@dataclass(frozen=True)
class Variant:
    compiler: Compiler
    options: Options
    loop: Loop
    vectors: bool = True

    @property
    def case(self) -> str:
        return f"{self.loop.kind}/{self.loop.name}"

    @property
    def column(self) -> str:
        return f"{self.compiler.name}, {self.options.name}"

    @property
    def name(self) -> str:
        return f"{self.column}/{self.case}{'' if self.vectors else ' without vectors'}"


def variants(settings: Settings, size: Size) -> Iterator[Variant]:
    """Of the compilers whose reports are known."""
    for compiler in compilers.found("c", "fortran"):
        if not reports.dialect(compiler):
            continue
        for options in map(settings.options_of, size.sets):
            if options.families and compiler.family.split()[0] not in options.families:
                continue
            for loop in chosen(size):
                yield Variant(compiler, options, loop)
                if options.timed:
                    yield Variant(compiler, options, loop, vectors=False)


def chosen(size: Size) -> Iterator[Loop]:
    counts: dict[str, int] = {}
    for loop in loops.loops():
        counts[loop.kind] = counts.get(loop.kind, 0) + 1
        if (not size.classes or loop.kind in size.classes) and counts[loop.kind] <= (size.most or 1000):
            yield loop


def driver(folder: Path) -> Path:
    """The object that calls a loop and takes the time. Raises UserError."""
    compiler = compilers.found("c")[0]
    return compilers.program(
        compiler, ["-O1", compilers.OBJECT], {DRIVER.name: DRIVER.read_text()}, folder, "driver.o"
    )


def build(variant: Variant, folder: Path, with_driver: Path) -> Path:
    """Raises UserError."""
    spoken = reports.dialect(variant.compiler)
    assert spoken
    language = variant.compiler.language
    words = [*variant.options.flags, *(spoken.ask if variant.vectors else spoken.without[language])]
    source = variant.loop.source(language)
    return compilers.program(variant.compiler, words, source, folder, variant.loop.name, [with_driver])


def claims(built: Mapping[Variant, Path]) -> dict[Variant, Claim]:
    """What the compilers say, of those with vectors."""
    found = {}
    for variant, path in built.items():
        if variant.vectors and (spoken := reports.dialect(variant.compiler)):
            found[variant] = reports.claim(spoken, compilers.said(path))
    return found


def checked(
    built: Mapping[Variant, Path], tolerance: float
) -> tuple[dict[Variant, Path], dict[Variant, UserError]]:
    """(programs with the loop's result, the others and why). A loop's result is that of its first program without vectors."""
    right, wrong, results = {}, {}, {}
    for variant in sorted(built, key=lambda one: one.vectors):
        try:
            value = told(built[variant], (1, 1)).number("result")
            name, first = results.setdefault(variant.case, (variant.name, value))
            require_close({f"the first, {name}": first, variant.name: value}, tolerance)
            right[variant] = built[variant]
        except UserError as error:
            wrong[variant] = error
    return right, wrong


def timed(
    built: Iterable[tuple[Variant, Path]], size: Size, say: Callable[[str], None]
) -> dict[Variant, list[float]]:
    """Seconds of a call, the shortest of a program's samples, round by round; programs take turns."""
    paths = {variant.name: path for variant, path in built if variant.options.timed}
    names = {variant.name: variant for variant, _ in built}
    say(f"{len(paths)} programs in {size.rounds} rounds")

    def sample(path: Path) -> float:
        return min(told(path, (size.calls, size.samples)).numbers("seconds"))

    functions = {name: (lambda path=path: sample(path)) for name, path in paths.items()}
    if not functions:
        return {}
    return {names[one]: found for one, found in interleave(functions, size.rounds, warmup=0).samples.items()}
