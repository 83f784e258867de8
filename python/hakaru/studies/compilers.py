"""Compilers that are on this machine, and the programs that studies compile with them; what was compiled before is kept."""

import functools
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.own.setup.packages import ensure_packages

FAMILIES = {
    "GNU": {"c": ("gcc",), "c++": ("g++",), "fortran": ("gfortran",)},
    "LLVM": {"c": ("clang",), "c++": ("clang++",), "fortran": ("flang", "flang-new")},
    "Intel": {"c": ("icx",), "c++": ("icpx",), "fortran": ("ifx",)},
    "NVIDIA": {"c": ("nvc",), "c++": ("nvc++",), "fortran": ("nvfortran",)},
}
LIMIT_S = 120.0
OBJECT = "-c"  # among the options: an object is wanted, and no program
Job = TypeVar("Job")


@dataclass(frozen=True)
class Compiler:
    """``name`` as it is called; ``about``: what it says of its version, with its file."""

    name: str
    language: str
    about: str

    @property
    def family(self) -> str:
        """Whose it is, with the version that its name ends with: compilers that go together."""
        whole = re.fullmatch(r"(.*?)(?:-(\d+))?", Path(self.name).name)
        plain, version = whole.groups() if whole else (self.name, None)
        family = next((one for one, own in FAMILIES.items() if plain in own.get(self.language, ())), plain)
        return f"{family} {version}" if version else family


def _names(language: str) -> list[str]:
    return [name for own in FAMILIES.values() for name in own[language]]


@functools.cache
def found(*wanted: str, path: str | None = None) -> tuple[Compiler, ...]:
    """The compilers of each language that is wanted, in PATH, also those whose name ends with a version (gfortran-13), each once; gfortran is installed where
    Fortran has none and hakaru may install. Raises UserError when a language has none."""
    here: list[Compiler] = []
    for language in wanted:
        own = list(_of(language, path or os.environ.get("PATH", "")))
        if not own and language == "fortran" and path is None:
            ensure_packages(("fortran",))
            own = list(_of(language, os.environ.get("PATH", "")))
        if not own:
            raise UserError(
                f"there is nothing to compile {language} with",
                f"none of {', '.join(_names(language))} is here",
                f"install {_names(language)[0]}",
            )
        here += own
    return tuple(here)


def _of(language: str, path: str) -> Iterable[Compiler]:
    """One of several names of a file: gfortran and gfortran-12 are the same compiler."""
    names = re.compile(rf"({'|'.join(map(re.escape, _names(language)))})(-\d+)?")
    seen = set()
    for folder in dict.fromkeys(path.split(os.pathsep)):
        files = sorted(os.listdir(folder)) if os.path.isdir(folder or ".") else []
        for name in files:
            file = os.path.realpath(os.path.join(folder, name))
            if not names.fullmatch(name) or file in seen or not os.access(file, os.X_OK):
                continue
            if about := _version(os.path.join(folder, name)):
                seen.add(file)
                yield Compiler(name, language, f"{about} ({file})")


def _version(command: str) -> str:
    """Its first line, or nothing when it does not even say its version."""
    try:
        done = processes.run([command, "--version"], limit_s=20.0)
    except OSError:
        return ""
    lines = done.output.strip().splitlines()
    return lines[0] if done.status == 0 and lines else ""


def compiled(command: Sequence[str]) -> str:
    """What the compiler says. Raises UserError when it fails, crashes or does not end."""
    done = processes.run(command, limit_s=LIMIT_S)
    if done.status != 0:
        errors = [line for line in done.errors.splitlines() if "rror" in line] or done.errors.split("\n")
        named = [word for word in command if not word.startswith("-")][-1]
        why = f"it took longer than {LIMIT_S:g} s" if done.timed_out else errors[0].strip()
        raise UserError(
            f"{Path(command[0]).name} cannot compile {Path(named).name}",
            why[:200] or f"it ended with {done.status}",
            "see whether it works by itself",
        )
    return done.errors


def said(path: Path) -> str:
    """What the compiler said of a program that ``program`` made."""
    return path.with_name(f"{path.name}.said").read_text()


def program(
    compiler: Compiler,
    options: Sequence[str],
    sources: Mapping[str, str],
    folder: Path,
    name: str,
    objects: Sequence[Path] = (),
) -> Path:
    """The program of ``sources`` (texts by file name; headers are included by theirs) and ``objects`` (whose names tell them apart), compiled unless
    it was before: ``folder`` keeps programs by compiler, options, processor and texts. Raises UserError."""
    texts = [part for one in sources.items() for part in one]
    told = "\0".join([compiler.about, *options, _processor(), *texts, *(one.name for one in objects)])
    path = folder / f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    if path.exists():
        return path
    try:
        _make(compiler, options, sources, path, objects)
    except OSError as error:
        todo = "free some space, or choose another folder with --results DIR"
        raise UserError(f"cannot keep {path}", str(error.strerror), todo, ENVIRONMENT) from None
    return path


def _make(
    compiler: Compiler,
    options: Sequence[str],
    sources: Mapping[str, str],
    path: Path,
    objects: Sequence[Path],
) -> None:
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="compile-", dir=folder) as place:
        for file, text in sources.items():
            (Path(place) / file).write_text(text)
        units = [str(Path(place) / file) for file in sources if Path(file).suffix not in (".hpp", ".h")]
        modules = ["-J", place] if compiler.language == "fortran" else ["-I", place]
        made = Path(place) / "program"
        ends = [*map(str, objects), "-lm"] if OBJECT not in options else []
        words = compiled([compiler.name, *options, *modules, "-o", str(made), *units, *ends])
        path.with_name(f"{path.name}.said").write_text(words)
        os.replace(made, path)


@functools.cache
def _processor() -> str:
    """What -march=native compiles for."""
    try:
        with open("/proc/cpuinfo") as file:
            lines = file.read().split("\n\n")[0].splitlines()
    except OSError:
        return ""
    return "\n".join(
        line for line in lines if line.startswith(("model", "cpu family", "flags", "Features", "CPU"))
    )


def each(jobs: Sequence[Job], build: Callable[[Job], Path]) -> tuple[dict[Job, Path], dict[Job, UserError]]:
    """(programs, failures) by job; as many at once as there are processors."""

    def attempt(job: Job) -> Path | UserError:
        try:
            return build(job)
        except UserError as error:
            return error

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        outcomes = dict(zip(jobs, pool.map(attempt, jobs), strict=True))
    built = {job: one for job, one in outcomes.items() if isinstance(one, Path)}
    return built, {job: one for job, one in outcomes.items() if isinstance(one, UserError)}
