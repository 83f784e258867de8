"""The runs that a person names: folders of traces, schedules in JSON, or schedules of hakaru's programs, each with its sizes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Schedule
from hakaru.foretell.extrapolate.extrapolate import Given
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay.engine import Engine

RANKS = "ranks"  # among the parameters of a program whose schedule is taken
SIZE = re.compile(r"(?<!\S)(\w+)=([0-9.eE+-]+)(?=[,\s]|$)")


@dataclass(frozen=True)
class Asked:
    """``words``: runs; ``sizes`` of the run that is asked for."""

    words: tuple[str, ...]
    sizes: dict[str, float]


def asked(words: Sequence[str]) -> Asked:
    """Words of a command line: name=value is a size, any other word a run."""
    sizes = [word for word in words if _is_size(word)]
    return Asked(tuple(word for word in words if not _is_size(word)), dict(_size(word) for word in sizes))


def _is_size(word: str) -> bool:
    return "=" in word and not word.startswith(sources.PREFIX) and ":" not in word and not Path(word).exists()


def _size(word: str) -> tuple[str, float]:
    name, _, value = word.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise UserError(f"'{word}' is no size", f"{value} is no number", "write n=512") from None


INSIDE = ("archive", "traces.otf2")  # of the folder of a trace
SUFFIXES = (".json", ".otf2")


def names_runs(word: str) -> bool:
    """Whether a word names a trace or a schedule, and not a program that lies here under its own name."""
    if word.startswith(sources.PREFIX):
        return True
    path = Path(_split(word)[0])
    of_trace = any((path / name).exists() for name in INSIDE)
    return of_trace or (path.is_file() and path.suffix in SUFFIXES)


def read(words: Sequence[str], folder: Path, engine: Engine) -> list[Given]:
    """``folder`` takes schedules that are made of traces. Raises UserError where one is missing, damaged or without its end."""
    if not words:
        raise UserError("no trace is named", "a schedule is extrapolated from traces", "give two or more")
    return [_read(word, folder / str(number), engine) for number, word in enumerate(words)]


def _split(word: str) -> tuple[str, dict[str, float]]:
    path, colon, sizes = word.rpartition(":")
    if not colon or "=" not in sizes or Path(word).exists():
        return word, {}
    return path, dict(_size(one) for one in sizes.split(","))


def _read(word: str, folder: Path, engine: Engine) -> Given:
    folder.mkdir()
    if word.startswith(sources.PREFIX):
        return _of_program(word, folder)
    text, sizes = _split(word)
    source = sources.find(text, None, None, folder)
    path = source.path
    if source.kind == "trace":
        path = folder / "schedule.json"
        engine.write_schedule(source.path, path)
    schedule = Schedule.read(path)
    return Given(schedule, sizes or _said(schedule.description), text)


def _of_program(word: str, folder: Path) -> Given:
    parts = word.split(",")
    ranks = [part.partition("=")[2] for part in parts if part.partition("=")[0].strip() == RANKS]
    if len(ranks) != 1 or not ranks[0].isdigit():
        raise UserError(f"{word} does not say its ranks", "", f"write {parts[0]},n=64,{RANKS}=8")
    text = ",".join(part for part in parts if part.partition("=")[0].strip() != RANKS)
    source = sources.find(text, int(ranks[0]), None, folder)
    return Given(Schedule.read(source.path), _said(" ".join(parts[1:])), f"{source.name} on {ranks[0]} ranks")


def _said(text: str) -> dict[str, float]:
    """Sizes in the description of a schedule."""
    found = {}
    for name, value in SIZE.findall(text):
        try:
            found[name] = float(value)
        except ValueError:
            continue
    return {name: value for name, value in found.items() if name != RANKS}
