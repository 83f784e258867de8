"""What can be built, read out of the sources; what a command's words ask for. Standard library only."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hakaru.base.paths import results_folder, root

EVERYTHING = "all"  # tests too
PROGRAMS = "hakaru_programs"  # every app, probe and tool
REPLAY = ("hakaru_replay",)
TRACES = ("hakaru_trace_convert", "hakaru_trace_summary", "hakaru_trace_profile")
MEASURE = ("hakaru_rank", *TRACES)
TIMELINES = ("hakaru_trace_timeline", "hakaru_trace_export")
HERE = ("hakaru_calls", "hakaru_handover", "hakaru_awake")
LAB = ("lab_switch", "lab_pingpong")


def command_of(arguments: list[str]) -> str | None:
    """The command that the arguments name: the first that is not an option. None when they ask for help."""
    before_the_users_own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if {"--help", "-h"} & set(before_the_users_own):
        return None
    return next((argument for argument in before_the_users_own if not argument.startswith("-")), None)


def command_file(arguments: list[str]) -> Path | None:
    """The module in ``hakaru/cli/`` of the arguments' command, if it is one."""
    module = (command_of(arguments) or "").replace("-", "_")
    path = Path(__file__).parents[2] / "cli" / f"{module}.py"
    return path if module.isidentifier() and path.is_file() else None


def will_build(arguments: list[str]) -> bool:
    """Whether the arguments' command may need programs, as far as its text tells before it can be imported."""
    path = command_file(arguments)
    return path is not None and "targets = ()" not in path.read_text().splitlines()


def leaves(kind: str | None = None) -> list[str]:
    """Names of the apps, the probes, or both; without the templates. ``kind``: ``app`` or ``probe``."""
    kinds = (kind,) if kind else ("app", "probe")
    folders = [path.parent.name for one in kinds for path in (root() / f"{one}s").glob("*/CMakeLists.txt")]
    return sorted(name for name in folders if not name.startswith("_"))


def mentioned(words: Iterable[str]) -> list[str]:
    """The leaves that these words name, such as ``himeno`` in ``schedule:himeno,n=64``."""
    said = set(re.findall(r"\w+", " ".join(words)))
    templates = [f"template_{kind}" for kind in ("app", "probe")]
    return [name for name in (*leaves(), *templates) if name in said]


def measured(words: Iterable[str]) -> bool:
    """Whether one of these words names a program of the results folder: it is built by its user."""
    folder = results_folder(option(list(words), "--results")) / "programs"
    return any((folder / f"{word}.toml").is_file() for word in words if "/" not in word)


def arguments(words: list[str], valued: tuple[str, ...]) -> list[str]:
    """The words that are neither options nor values of the options in ``valued``."""
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and before not in valued
    ]


def option(words: list[str], name: str) -> str | None:
    """The value of an option that is written ``--name value`` or ``--name=value``."""
    for place, word in enumerate(words):
        if word == name and place + 1 < len(words):
            return words[place + 1]
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
    return None


def _values(tree: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(tree, list):
        for entry in tree:
            yield from _values(entry, keys)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if key in keys:
                yield from [value] if isinstance(value, str) else map(str, value)
            else:
                yield from _values(value, keys)


def names_others(path: Path) -> bool:
    """Whether a TOML file names programs that are no leaves; not when it cannot be read."""
    try:
        tree = tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return any(mentioned([name]) != [name] for name in _values(tree, ("program",)))


def programs_of(path: Path, *parts: str) -> list[str]:
    """The leaves under ``program`` or ``names`` in a TOML file, or in these tables of it, in its order; none when it cannot be read.

    The command itself says what is wrong with a file.
    """
    try:
        tree = tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return []
    chosen = [tree.get(part, {}) for part in parts] if parts else tree
    return [
        name for name in dict.fromkeys(_values(chosen, ("program", "names"))) if mentioned([name]) == [name]
    ]
