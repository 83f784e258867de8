"""Finds ``bench/<name>.py``, runs each one's ``run()`` and checks the rows it gives."""

import fcntl
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from hakaru.base.errors import UserError
from hakaru.base.files import load_module
from hakaru.base.paths import root
from hakaru.own.setup.build import build_more
from hakaru.own.setup.packages import ensure_packages

ROW_KEYS = ("bench", "figure", "value", "unit", "bound", "peer", "interval")


@dataclass
class Outcome:
    """What one bench gave: its rows, or why it failed."""

    name: str
    rows: list[dict] = field(default_factory=list)
    failure: str | None = None


def bench_folder() -> Path:
    return root() / "bench"


def find_benches(folder: Path | None = None) -> dict[str, Path]:
    """Name -> file of every bench; files that begin with an underscore or ``test_`` are helpers and tests."""
    folder = folder or bench_folder()
    return {
        path.stem: path
        for path in sorted(folder.glob("*.py"))
        if not path.stem.startswith(("_", "test_")) and path.stem != "conftest"
    }


def load(path: Path) -> ModuleType:
    """A bench file; helpers beside it can be imported by name."""
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    return load_module(path)


def rows_of(path: Path) -> list[dict]:
    """What a bench measures, after installing its ``NEEDS`` (purposes of ``own.setup.needs``) and building its ``TARGETS``."""
    bench = load(path)
    ensure_packages(getattr(bench, "NEEDS", ()))
    if targets := getattr(bench, "TARGETS", ()):
        build_more(targets)
    return list(bench.run())


def check_row(row: dict) -> None:
    """Raises ValueError naming what is wrong with a row."""
    missing = [key for key in ROW_KEYS if key not in row]
    extra = [key for key in row if key not in ROW_KEYS]
    if missing or extra:
        raise ValueError(f"row of figure {row.get('figure')!r}: missing {missing}, unknown {extra}")
    low, high = row["interval"]
    if not low <= row["value"] <= high:
        raise ValueError(
            f"row of figure {row['figure']!r}: value {row['value']} outside its interval [{low}, {high}]"
        )


def lock_file() -> Path:
    return Path(tempfile.gettempdir()) / "hakaru-bench.lock"


@contextmanager
def measuring_alone(lock_path: Path | None = None) -> Iterator[None]:
    """Holds the machine's bench lock, waiting for another bench to end, so that no two overlap."""
    path = lock_path or lock_file()
    try:
        descriptor = os.open(
            path, os.O_RDONLY
        )  # another user's file cannot be opened with O_CREAT in a sticky folder
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another bench is running on this machine; waiting for it to end", file=sys.stderr)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def run_benches(
    names: list[str], folder: Path | None = None, started: Callable[[str], None] = lambda name: None
) -> Iterator[Outcome]:
    """Runs the named benches (or all) one after another; a failing one does not stop the others."""
    benches = find_benches(folder)
    for name in names:
        if name not in benches:
            raise UserError(
                f"there is no bench {name}", f"known: {', '.join(benches) or 'none'}", "name one of these"
            )
    with measuring_alone():
        for name in names or list(benches):
            started(name)
            outcome = Outcome(name)
            try:
                outcome.rows = rows_of(benches[name])
                for row in outcome.rows:
                    check_row(row)
                if not outcome.rows:
                    outcome.failure = "it gave no rows"
            except (Exception, SystemExit) as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                outcome.failure = (
                    f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
                )
            yield outcome
