"""The trajectories in several styles, compiled by what compilers there are and run in turns."""

import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import UserError

SOURCES = Path(__file__).with_name("programs")
COMPILERS = {"gfortran": "fortran", "flang": "fortran", "g++": "c++", "clang++": "c++"}
GNU = ("gfortran", "g++")  # that parallelise loops by themselves
STYLES = {
    "fortran": {"as published": 0, "loops exchanged": 1, "matmul": 2},
    "c++": {"as published": 0, "loops exchanged": 1},
}
PUBLISHED_STYLE = "as published"
THREADING = {"none": 0, "automatic": 0, "inside": 1, "over": 2}
LANGUAGE = {"fortran": ("-cpp", "-ffree-line-length-none"), "c++": ("-std=c++20",)}
SOURCE = {"fortran": "trajectory.F90", "c++": "trajectory.cpp"}
SAME = 1e-9  # relative: roundings of some hundred steps in another order
LIMIT_S = 120.0
CHECKED = (3, 5)  # trajectories and steps of which the results are compared


@dataclass(frozen=True)
class Variant:
    compiler: str
    style: str
    options: str
    degrees: int
    threading: str = "none"
    threads: int = 1

    @property
    def name(self) -> str:
        threads = "" if self.threading == "none" else f", {self.threading}, threads: {self.threads}"
        return f"{self.degrees}/{self.compiler}/{self.style}, {self.options}{threads}"

    @property
    def language(self) -> str:
        return COMPILERS[self.compiler]

    @property
    def words(self) -> list[str]:
        """Of the compiler. Automatic threads are as many as the build says, with fewer when it runs with a limit."""
        words = [
            *self.options.split(),
            *LANGUAGE[self.language],
            f"-DDEGREES={self.degrees}",
            f"-DSTYLE={STYLES[self.language][self.style]}",
            f"-DTHREADING={THREADING[self.threading]}",
        ]
        if self.threading == "automatic":
            words.append(f"-ftree-parallelize-loops={max(self.threads, 2)}")
        elif self.threading != "none":
            words.append("-fopenmp")
        return words

    @property
    def environment(self) -> dict[str, str]:
        return {"OMP_NUM_THREADS": str(self.threads), "OMP_THREAD_LIMIT": str(self.threads)}


@dataclass(frozen=True)
class Built:
    """``total`` of what it computes."""

    variant: Variant
    path: Path
    total: float


def found() -> list[str]:
    """The compilers that are here. Raises UserError when there is none."""
    here = [name for name in COMPILERS if shutil.which(name)]
    if not here:
        raise UserError(
            "the study has nothing to compile with",
            f"none of {', '.join(COMPILERS)} is here",
            "install gfortran or g++",
        )
    return here


def styles(compiler: str, every: bool) -> tuple[str, ...]:
    return tuple(STYLES[COMPILERS[compiler]]) if every else (PUBLISHED_STYLE,)


def serial(degrees: int, options: tuple[str, ...], every: bool) -> Iterator[Variant]:
    """``every`` style, or the published loops alone."""
    for compiler in found():
        for style in styles(compiler, every):
            for one in options:
                yield Variant(compiler, style, one, degrees)


def threaded(degrees: int, options: str, threads: tuple[int, ...], every: bool) -> Iterator[Variant]:
    """Styles of loops alone: what matmul does is the library's."""
    for compiler in found():
        for style in styles(compiler, every):
            if style == "matmul":
                continue
            for threading in ("automatic", "inside", "over"):
                if threading == "automatic" and compiler not in GNU:
                    continue
                for number in threads:
                    yield Variant(compiler, style, options, degrees, threading, number)


def build(variant: Variant, folder: Path, sources: Path = SOURCES) -> Built:
    """Raises UserError when the compiler fails, or the program does."""
    words = variant.words
    path = folder / "-".join([variant.compiler, *words]).replace("/", "-").replace("=", "-")
    if not path.exists():
        modules = ["-J", str(folder)] if variant.language == "fortran" else []
        source = str(sources / SOURCE[variant.language])
        done = processes.run([variant.compiler, *words, *modules, source, "-o", str(path)], limit_s=LIMIT_S)
        if done.status != 0:
            lines = done.errors.strip().splitlines()
            raise UserError(
                f"{variant.compiler} cannot compile {variant.name}",
                lines[-1] if lines else f"it ended with {done.status}",
                "see whether it works by itself",
            )
    trajectories, steps = CHECKED
    return Built(variant, path, output(variant, path, trajectories, steps, 1)["total"][0])


def output(
    variant: Variant, path: Path, trajectories: int, steps: int, samples: int
) -> dict[str, list[float]]:
    """The numbers that a variant prints, by their name. Raises UserError when it fails."""
    command = [str(path), str(trajectories), str(steps), str(samples)]
    done = processes.run(command, limit_s=LIMIT_S, variables=variant.environment)
    told: dict[str, list[float]] = {}
    for line in done.output.splitlines():
        name, value = line.split()
        told.setdefault(name, []).append(float(value))
    if done.status != 0 or "total" not in told:
        raise UserError(
            f"{variant.name} failed", done.errors.strip() or f"it ended with {done.status}", "report it"
        )
    return told


def require_same(built: list[Built]) -> None:
    """All variants of a system compute the same. Raises UserError."""
    for one in built:
        if not math.isclose(one.total, built[0].total, rel_tol=SAME):
            raise UserError(
                f"{one.variant.name} computes something else than {built[0].variant.name}",
                f"the sums of their results are {one.total:.15g} and {built[0].total:.15g}",
                "report it",
            )


@dataclass(frozen=True)
class Timing:
    """How long and how often."""

    trajectories: int
    sample_s: float
    rounds: int
    samples: int


def timed(built: list[Built], timing: Timing, say: Callable[[str], None]) -> dict[Variant, list[float]]:
    """Seconds of a step of one trajectory: the median of each round's samples, round by round; variants take turns."""
    steps = {}
    for one in built:
        once = output(one.variant, one.path, timing.trajectories, 2, 2)["seconds"][-1]
        steps[one] = max(1, round(timing.sample_s / (once * timing.trajectories)))
    seconds: dict[Variant, list[float]] = {one.variant: [] for one in built}
    for number in range(timing.rounds):
        say(f"round {number + 1} of {timing.rounds}")
        for one in built if number % 2 == 0 else reversed(built):
            told = output(one.variant, one.path, timing.trajectories, steps[one], timing.samples)["seconds"]
            seconds[one.variant].append(sorted(told)[len(told) // 2])
    return seconds
