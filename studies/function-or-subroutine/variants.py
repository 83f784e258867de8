"""The variants of the operator, compiled by what compilers there are, counted and run in turns."""

import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import UserError

SOURCES = Path(__file__).with_name("programs")
COMPILERS = {"gfortran": "fortran", "flang": "fortran", "g++": "c++", "clang++": "c++"}
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
LIMIT_S = 120.0


@dataclass(frozen=True)
class Variant:
    compiler: str
    style: str
    colour: str
    extent: int

    @property
    def name(self) -> str:
        return f"{self.extent}^4/{self.compiler}/{self.style}, colour {self.colour}"

    @property
    def language(self) -> str:
        return COMPILERS[self.compiler]


@dataclass(frozen=True)
class Built:
    """``copies`` of whole fields in one application, with their ``bytes``; ``norm`` of the result."""

    variant: Variant
    path: Path
    copies: float
    bytes: float
    norm: float


def found() -> list[str]:
    """The compilers that are here. Raises UserError when there is none."""
    here = [name for name in COMPILERS if shutil.which(name)]
    if not here or not shutil.which("gcc"):
        raise UserError(
            "the study has nothing to compile with",
            f"none of {', '.join(COMPILERS)}, or no gcc, is here",
            "install gfortran and g++",
        )
    return here


def variants(extent: int) -> Iterator[Variant]:
    for compiler in found():
        for style in STYLES[COMPILERS[compiler]]:
            for colour in COLOURS:
                yield Variant(compiler, style, colour, extent)


def compiled(command: list[str]) -> None:
    """Raises UserError when the compiler fails."""
    done = processes.run(command, limit_s=LIMIT_S)
    if done.status != 0:
        raise UserError(
            f"{command[0]} cannot compile a variant",
            done.errors.strip().splitlines()[-1] if done.errors.strip() else f"it ended with {done.status}",
            "see whether it works by itself",
        )


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
    compiled([variant.compiler, *flags, *words, "-c", source, "-o", operator])
    paths = {}
    for kind, counting, linking in (
        ("timed", [], []),
        ("counted", [f"-DCOUNTED={half}"], ["-Wl,--wrap=memcpy", "-Wl,--wrap=memmove"]),
    ):
        counter, path = f"{stem}.{kind}.o", Path(f"{stem}.{kind}")
        compiled(["gcc", "-O2", *counting, "-c", str(sources / "counted.c"), "-o", counter])
        compiled([variant.compiler, operator, counter, *linking, "-o", str(path)])
        paths[kind] = path
    told = output(paths["counted"], 1, 1)
    return Built(variant, paths["timed"], told["copies"][0], told["bytes"][0], told["norm"][0])


def output(program: Path, applications: int, samples: int) -> dict[str, list[float]]:
    """The numbers that a variant prints, by their name. Raises UserError when it fails."""
    done = processes.run([str(program), str(applications), str(samples)], limit_s=LIMIT_S)
    told: dict[str, list[float]] = {}
    for line in done.output.splitlines():
        name, value = line.split()
        told.setdefault(name, []).append(float(value))
    if done.status != 0 or "norm" not in told:
        raise UserError(
            f"{program.name} failed", done.errors.strip() or f"it ended with {done.status}", "report it"
        )
    return told


def require_same(built: list[Built]) -> None:
    """All variants of a lattice compute one operator. Raises UserError."""
    for one in built:
        if not math.isclose(one.norm, built[0].norm, rel_tol=SAME):
            raise UserError(
                f"{one.variant.name} computes another operator than {built[0].variant.name}",
                f"the norms of their results are {one.norm:.15g} and {built[0].norm:.15g}",
                "report it",
            )


def timed(
    built: list[Built], application_s: float, rounds: int, samples: int, say: Callable[[str], None]
) -> Mapping[Variant, list[float]]:
    """Seconds of one application: the median of each round's samples, round by round; variants take turns."""
    applications = {
        one: max(1, round(application_s / output(one.path, 1, 3)["seconds"][-1])) for one in built
    }
    seconds: dict[Variant, list[float]] = {one.variant: [] for one in built}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for one in built if number % 2 == 0 else reversed(built):
            of_round = sorted(output(one.path, applications[one], samples)["seconds"])
            seconds[one.variant].append(of_round[len(of_round) // 2])
    return seconds
