"""All programs of a size: written from the description, compiled by what compilers there are, held to one result, run in turns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.own.bench.interleaving import Interleaved, interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.told import require_close, require_same, told

from .cpp import Cpp, arithmetic
from .description import LAYOUTS
from .fortran import Fortran
from .settings import Options, Settings, Size

BEST = "explicit vectors"
STANDARD = {"c++": ("-std=c++20",), "fortran": ()}
SUFFIX = {"c++": ".cpp", "fortran": ".f90"}
SAMPLES = 2  # of a program's start: a round starts each once, and takes the shorter


@dataclass(frozen=True)
class Variant:
    """A program: ``attribute`` is empty where nothing has run-time size, or in C++. ``layout`` is BEST for the explicit form."""

    compiler: Compiler
    options: Options
    layout: str
    kernel: int
    attribute: str = ""

    @property
    def column(self) -> tuple[str, str, str]:
        return self.compiler.name, self.options.name, self.attribute

    @property
    def name(self) -> str:
        """As rows call it."""
        if self.layout == BEST:
            return f"{self.compiler.name}/{self.options.name}/{BEST}"
        told_ = f"/{self.attribute}" if self.attribute else ""
        return f"{self.compiler.name}/{self.options.name}/{self.layout}{self.kernel}{told_}"


def variants(settings: Settings, size: Size) -> Iterator[Variant]:
    for compiler in compilers.found("fortran", "c++"):
        for options in map(settings.options_of, size.sets):
            for layout in size.layouts:
                dynamic = LAYOUTS[layout].dynamic and compiler.language == "fortran"
                for attribute in size.attributes if dynamic else ("",):
                    yield from (Variant(compiler, options, layout, one, attribute) for one in size.kernels)
            if compiler.language == "c++":
                yield Variant(compiler, options, BEST, 0)


def sources(variant: Variant, size: Size) -> dict[str, str]:
    if variant.layout == BEST:
        text = Path(__file__).with_name("programs").joinpath("best.cpp").read_text()
        return {"best.cpp": text, "arithmetic.hpp": arithmetic()}
    layout = LAYOUTS[variant.layout]
    language = variant.compiler.language
    writer = Fortran(layout, variant.attribute) if language == "fortran" else Cpp(layout)
    return {f"layout{SUFFIX[language]}": writer.program(variant.kernel, size.points, size.blocks)}


def build(variant: Variant, size: Size, folder: Path) -> Path:
    """Raises UserError."""
    words = [*STANDARD[variant.compiler.language], *variant.options.flags]
    if variant.layout == BEST:
        words += [f"-DPOINTS={size.points}", f"-DBLOCKS={size.blocks}"]
    stem = f"{variant.layout}{variant.kernel}".replace(" ", "-")
    return compilers.program(variant.compiler, words, sources(variant, size), folder, stem)


def checked(
    built: dict[Variant, Path], size: Size, tolerance: float
) -> tuple[dict[Variant, Path], dict[Variant, UserError]]:
    """(programs that ran, those that failed, and why). Raises UserError when two compute something else: exact ones to the last bit."""
    bits, totals, failed = {}, {}, {}
    for variant, path in built.items():
        try:
            found = told(path, (size.points, 1, 1))
            if variant.options.exact:
                bits[variant.name] = found.text("bits")
            totals[variant.name] = found.number("total")
        except UserError as error:
            failed[variant] = error
    require_same(bits)
    require_close(totals, tolerance)
    return {one: path for one, path in built.items() if one not in failed}, failed


@dataclass(frozen=True)
class Times:
    """Seconds of the processor for a step by variant, round by round; of the explicit form also its ceilings: ``arithmetic``, ``stream``."""

    seconds: dict[Variant, list[float]]
    ceilings: dict[Variant, dict[str, list[float]]]

    def joined(self, other: "Times") -> "Times":
        return Times(self.seconds | other.seconds, self.ceilings | other.ceilings)


def timed(built: dict[Variant, Path], size: Size, say: Callable[[str], None]) -> Times:
    """Programs take turns on one core."""
    ceilings: dict[Variant, dict[str, list[float]]] = {
        one: {"arithmetic": [], "stream": []} for one in built if one.layout == BEST
    }
    names = {variant.name: variant for variant in built}

    def sample(variant: Variant) -> float:
        found = told(built[variant], (size.points, size.steps, SAMPLES))
        for name, values in ceilings.get(variant, {}).items():
            values.append(min(found.numbers(name)))
        return min(found.numbers("seconds"))

    say(f"{len(built)} programs in {size.rounds} rounds")
    runs: Interleaved = interleave(
        {name: (lambda variant=variant: sample(variant)) for name, variant in names.items()},
        size.rounds,
        warmup=0,
    )
    return Times({names[name]: values for name, values in runs.samples.items()}, ceilings)


def by_set(built: dict[Variant, Path], names: Sequence[str]) -> Iterator[dict[Variant, Path]]:
    """Programs of a set of options take turns with each other, so that a round stays short."""
    for name in names:
        yield {one: path for one, path in built.items() if one.options.name == name}
