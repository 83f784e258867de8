"""The variants of the operator, compiled by what compilers there are, counted and run in turns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.own.bench.interleaving import interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.told import require_close, told

SOURCES = Path(__file__).with_name("programs")
STYLES = {
    "fortran": {"subroutines": (), "functions": ("-DFUNCTIONS",)},
    "c++": {
        "functions that fill an argument": ("-DSTYLE=0",),
        "operators by value": ("-DSTYLE=1",),
        "expression templates": ("-DSTYLE=2",),
    },
}
COLOURS = {"innermost": (), "outermost": ("-DCOLOUR_OUTER",)}
LANGUAGE = {"fortran": ("-cpp", "-ffree-line-length-none"), "c++": ("-std=c++20",)}
SOURCE = {"fortran": "wilson.F90", "c++": "wilson.cpp"}
COMPLEX_BYTES, SPINOR = 16, 12
SAME = 1e-12  # relative: sums of some hundred products in another order


@dataclass(frozen=True)
class Variant:
    compiler: Compiler
    style: str
    colour: str
    extent: int

    @property
    def name(self) -> str:
        return f"{self.extent}^4/{self.compiler.name}/{self.style}, colour {self.colour}"

    @property
    def language(self) -> str:
        return self.compiler.language


@dataclass(frozen=True)
class Built:
    """``copies`` of whole fields in one application, with their ``bytes``; ``norm`` of the result."""

    variant: Variant
    path: Path
    copies: float
    bytes: float
    norm: float


def variants(extent: int) -> Iterator[Variant]:
    for compiler in compilers.found("fortran", "c++"):
        for style in STYLES[compiler.language]:
            for colour in COLOURS:
                yield Variant(compiler, style, colour, extent)


def build(variant: Variant, flags: tuple[str, ...], folder: Path, sources: Path = SOURCES) -> Built:
    """Linked twice: to be timed, and to be counted. Raises UserError."""
    words = [
        *LANGUAGE[variant.language],
        f"-DEXTENT={variant.extent}",
        *STYLES[variant.language][variant.style],
        *COLOURS[variant.colour],
    ]
    stem = folder / variant.name.replace("/", "-").replace(" ", "-")
    half = COMPLEX_BYTES * SPINOR * (variant.extent + 2) ** 4 // 2
    source, operator = str(sources / SOURCE[variant.language]), f"{stem}.o"
    if variant.language == "fortran":
        words += ["-J", str(folder)]  # its module files
    compilers.compiled([variant.compiler.name, *flags, *words, "-o", operator, "-c", source])
    c, paths = compilers.found("c")[0].name, {}
    for kind, counting, linking in (
        ("timed", [], []),
        ("counted", [f"-DCOUNTED={half}"], ["-Wl,--wrap=memcpy", "-Wl,--wrap=memmove"]),
    ):
        counter, path = f"{stem}.{kind}.o", Path(f"{stem}.{kind}")
        compilers.compiled([c, "-O2", *counting, "-o", counter, "-c", str(sources / "counted.c")])
        compilers.compiled([variant.compiler.name, *linking, "-o", str(path), operator, counter])
        paths[kind] = path
    found = told(paths["counted"], (1, 1))
    return Built(variant, paths["timed"], *(found.number(name) for name in ("copies", "bytes", "norm")))


def all_built(
    wanted: Sequence[Variant], flags: tuple[str, ...], folder: Path, say: Callable[[str], None]
) -> list[Built]:
    """Those that can be compiled; the others are said. Raises UserError when there is none."""
    built, errors = [], []
    for one in wanted:
        try:
            built.append(build(one, flags, folder))
        except UserError as error:
            say(f"left out: {error}")
            errors.append(error)
    if not built:
        raise errors[0]
    return built


def require_same(built: list[Built]) -> None:
    """All variants of a lattice compute one operator. Raises UserError."""
    require_close({one.variant.name: one.norm for one in built}, SAME)


def timed(
    built: list[Built], application_s: float, rounds: int, samples: int, say: Callable[[str], None]
) -> Mapping[Variant, list[float]]:
    """Seconds of one application: the median of each round's samples, round by round; variants take turns."""
    say(f"{len(built)} variants in {rounds} rounds")

    def sample(one: Built, applications: int) -> float:
        of_round = sorted(told(one.path, (applications, samples)).numbers("seconds"))
        return of_round[len(of_round) // 2]

    functions, variants_ = {}, {one.variant.name: one.variant for one in built}
    for one in built:
        applications = max(1, round(application_s / told(one.path, (1, 3)).number("seconds")))
        functions[one.variant.name] = lambda one=one, many=applications: sample(one, many)
    runs = interleave(functions, rounds, warmup=0)
    return {variants_[name]: values for name, values in runs.samples.items()}
