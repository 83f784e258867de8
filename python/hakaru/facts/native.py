"""The built programs: where they are and what they say about themselves."""

import functools
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, root
from hakaru.facts.description import Description
from hakaru.facts.work import Work


@dataclass(frozen=True)
class Program:
    """One app or probe that can be built. ``source`` is its folder in the sources; ``needs_mpi``: it starts under an MPI launcher."""

    name: str
    kind: str
    path: Path
    source: Path
    needs_mpi: bool


def _program_list() -> dict[str, Any]:
    listing = build_folder() / "programs.json"
    try:
        return json.loads(listing.read_text())
    except FileNotFoundError:
        raise UserError(
            "hakaru's programs are not built",
            f"{listing} is missing",
            "start through ./hakaru, which builds them",
            ENVIRONMENT,
        ) from None
    except json.JSONDecodeError as error:
        raise UserError(
            f"{listing} cannot be read", str(error), "delete the build folder and run again", ENVIRONMENT
        ) from None


def _require_built(path: Path, name: str) -> None:
    if not path.is_file():
        raise UserError(
            f"{name} is not built",
            "a command builds what its words name",
            f"build it with: ninja -C {build_folder()} {name}",
            ENVIRONMENT,
        )


def programs(kind: str | None = None, templates: bool = False) -> list[Program]:
    """Programs that can be built, apps first, in alphabetical order; the templates only when asked for."""
    found = [
        Program(
            entry["name"],
            entry["kind"],
            build_folder() / entry["path"],
            root() / entry["source"],
            entry["needs_mpi"],
        )
        for entry in _program_list()["programs"]
        if (kind is None or entry["kind"] == kind)
        and (templates or not entry["source"].endswith("_template"))
    ]
    return sorted(found, key=lambda program: (program.kind, program.name))


def program(name: str) -> Program:
    """The built program of that name. Raises UserError naming the known ones, or when it was not built."""
    found = listed(name)
    _require_built(found.path, name)
    return found


def listed(name: str) -> Program:
    """The program of that name, built or not. Raises UserError naming the known ones."""
    known = programs(templates=True)
    for candidate in known:
        if candidate.name == name:
            return candidate
    import difflib

    names = [candidate.name for candidate in known if not candidate.name.startswith("template_")]
    near = difflib.get_close_matches(name, names, 1)
    raise UserError(
        f"there is no program '{name}'",
        f"known are: {', '.join(names)}",
        f"did you mean {near[0]}?" if near else "choose one of them",
    )


def tool(name: str) -> Path:
    """Path of a built program that is no leaf. Raises UserError when it was not built."""
    for entry in _program_list().get("tools", []):
        if entry["name"] == name:
            _require_built(build_folder() / entry["path"], name)
            return build_folder() / entry["path"]
    raise UserError(
        f"hakaru's tool '{name}' is not built",
        "the list of built programs does not have it",
        "start through ./hakaru, which builds it",
        ENVIRONMENT,
    )


def assignments(parameters: dict[str, Any]) -> list[str]:
    """``name=value`` words for a command line, in alphabetical order."""

    def word(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [f"{name}={word(value)}" for name, value in sorted(parameters.items())]


def describe(
    name: str,
    parameters: dict[str, Any] | None = None,
    ranks: int = 1,
    threads: int = 1,
    preset: str | None = None,
) -> Description:
    """What the program says of itself, with the work counts of these parameters on this layout under ``evaluated``.

    Raises UserError with the program's own words when a parameter is unknown or out of range.
    """
    return Description.parse(_describe(name, tuple(assignments(parameters or {})), ranks, threads, preset))


def work(name: str, parameters: dict[str, Any] | None = None, ranks: int = 1, threads: int = 1) -> Work:
    """Size, memory and work counts of these parameters on this layout. Raises UserError as ``describe``."""
    return describe(name, parameters, ranks, threads).evaluated


@functools.lru_cache(maxsize=4096)
def _describe(name: str, words: tuple[str, ...], ranks: int, threads: int, preset: str | None) -> str:
    command = [str(program(name).path), "describe", *words, "--ranks", str(ranks), "--threads", str(threads)]
    if preset:
        command += ["--preset", preset]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise UserError(
            done.stderr.strip() or f"{name} describe ended with status {done.returncode}",
            exit_code=done.returncode if done.returncode in (2, 3, 4) else ENVIRONMENT,
        )
    return done.stdout


def parse_assignments(words: list[str]) -> dict[str, str]:
    """{name: value} of ``name=value`` words. Raises UserError for any other form."""
    parameters = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UserError(
                f"'{word}' is not understood", "parameters are written name=value", "for example n=64"
            )
        parameters[name] = value
    return parameters
