"""The folder in which a launch is made: its own one where the program's file names inputs, else the program's folder."""

import contextlib
import itertools
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.programs.file import FileInput, ProgramFile, filled

MOST_FILES = 1000


def make(file: ProgramFile, texts: Mapping[str, str], scratch: Path) -> Path:
    """Where the program runs, with its inputs in it. Raises UserError for a template that is missing or names what is no parameter."""
    base = Path(file.folder or ".")
    if not base.is_dir():
        raise UserError(
            f"{file.name} has no folder to run in",
            f"{base} is not there",
            "mend folder = ... in its file",
            ENVIRONMENT,
        )
    if not file.inputs:
        return base
    place = scratch / "run"
    place.mkdir()
    for one in file.inputs:
        path = _inside(place, filled(one.file, dict(texts)))
        path.parent.mkdir(parents=True, exist_ok=True)
        _fill(one, path, base, dict(texts))
    return place


def files(place: Path) -> dict[str, tuple[int, int]]:
    """Size and time of the last change, in ns, of the files that lie in a folder; of the first MOST_FILES that the system names."""
    found = {}
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in itertools.islice(entries, MOST_FILES):
            if entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                found[entry.name] = (status.st_size, status.st_mtime_ns)
    return found


def changed(before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """Names of files that were there before and are others now, or gone."""
    return tuple(sorted(name for name, status in before.items() if after.get(name) != status))


def _fill(one: FileInput, path: Path, base: Path, texts: dict[str, str]) -> None:
    if one.text:
        path.write_text(filled(one.text, texts))
        return
    source = base / (one.template or one.file)
    try:
        if one.template:
            path.write_text(filled(source.read_text(), texts))
        else:
            shutil.copy2(source, path)
    except OSError as error:
        raise UserError(
            f"the input {source} cannot be used",
            error.strerror or str(error),
            "mend the program's file",
            ENVIRONMENT,
        ) from None


def _inside(place: Path, name: str) -> Path:
    """Raises UserError for a name that leads out of the launch's folder."""
    path = (place / name).resolve()
    if not path.is_relative_to(place.resolve()):
        raise UserError(
            f"'{name}' leads out of the launch's folder", "inputs are made inside of it", "give a plain name"
        )
    return path


def absolute(words: Sequence[str], base: str) -> list[str]:
    """The words of a line that runs elsewhere: ``./program`` becomes its path where it is a file in the program's folder."""
    return [
        str((Path(base) / word).resolve()) if "/" in word and (Path(base) / word).is_file() else word
        for word in words
    ]


def kept(file: ProgramFile, place: Path, target: Path) -> None:
    """Copies the files that are to be kept beside the record."""
    for pattern in file.keep:
        for path in sorted(place.glob(pattern)):
            if path.is_file():
                to = target / path.relative_to(place)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, to)
