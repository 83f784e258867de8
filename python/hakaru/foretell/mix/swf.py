"""Logs of batch systems in the Standard Workload Format (Feitelson, Parallel Workloads Archive; version 2.2): a line of 18 numbers a job,
-1 for what is not known, comments behind ``;``."""

import gzip
import re
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hakaru.base.errors import ENVIRONMENT, UserError

COLUMNS = 18
SUBMIT, RUN, ALLOCATED, REQUESTED, REQUESTED_S = 1, 3, 4, 7, 8
MOST_PROCESSORS = 2**31
_HEAD = re.compile(rb"^;\s*(MaxProcs|MaxNodes):\s*(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Log:
    """(n,) each, by arrival, which begins at 0 s. ``limit_s``: what was asked for, or the run time where nobody asked or asked for less.
    ``left_out``: why, and how many jobs."""

    submit_s: np.ndarray
    run_s: np.ndarray
    limit_s: np.ndarray
    processors: np.ndarray
    machine_processors: int
    left_out: dict[str, int]
    unsorted: int


def read(path: Path) -> Log:
    """Plain or gzip. Raises UserError for what is no log, naming the line."""
    text = _content(path)
    rows = _rows(path, text)
    head = {name.decode(): int(value) for name, value in _HEAD.findall(text[:100_000])}
    processors = np.where(rows[:, REQUESTED] > 0, rows[:, REQUESTED], rows[:, ALLOCATED])
    faults = {
        "their submit time is negative or not finite": ~(rows[:, SUBMIT] >= 0.0)
        | ~np.isfinite(rows[:, SUBMIT]),
        "their run time is not known": ~(rows[:, RUN] >= 0.0) | ~np.isfinite(rows[:, RUN]),
        "their number of processors is not known": ~((processors >= 1.0) & (processors <= MOST_PROCESSORS)),
    }
    kept, left_out = np.ones(len(rows), dtype=bool), {}
    for why, bad in faults.items():
        if count := int((kept & bad).sum()):
            left_out[why] = count
        kept &= ~bad
    if not kept.any():
        raise UserError(f"{path} has no job that can be replayed", _list(left_out), "take another log")
    rows, processors = rows[kept], processors[kept]
    order = np.argsort(rows[:, SUBMIT], kind="stable")
    unsorted = int((np.diff(rows[:, SUBMIT]) < 0.0).sum())
    rows, processors = rows[order], processors[order].astype(np.int64)
    run_s = rows[:, RUN]
    most = head.get("MaxProcs") or head.get("MaxNodes") or int(processors.max())
    return Log(
        rows[:, SUBMIT] - rows[0, SUBMIT],
        run_s,
        np.maximum(rows[:, REQUESTED_S], run_s),
        processors,
        most,
        left_out,
        unsorted,
    )


def _list(left_out: dict[str, int]) -> str:
    return "; ".join(f"{count} left out: {why}" for why, count in left_out.items()) or "it is empty"


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except OSError as error:
        raise UserError(
            f"cannot read the log {path}", str(error.strerror or error), "check its name", ENVIRONMENT
        ) from None
    except (EOFError, zlib.error):
        raise UserError(
            f"cannot read the log {path}", "its gzip is cut off or damaged", "fetch it again"
        ) from None


def _rows(path: Path, text: bytes) -> np.ndarray:
    """(n, 18)."""
    lines = text.decode("utf-8", errors="replace").splitlines()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an empty file
            rows = np.loadtxt(lines, comments=";", ndmin=2, dtype=float)
    except ValueError:
        rows = np.empty((0, 0))
    if rows.shape[0] and rows.shape[1] == COLUMNS:
        return rows
    for number, why in _bad_lines(lines):
        raise UserError(
            f"{path} is no log in the Standard Workload Format", f"line {number} {why}", "mend it"
        )
    raise UserError(f"{path} has no job", "all its lines are empty or comments", "take another log")


def _bad_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        words = line.partition(";")[0].split()
        if words and len(words) != COLUMNS:
            yield number, f"has {len(words)} fields, not {COLUMNS}"
        for word in words:
            try:
                float(word)
            except ValueError:
                yield number, f"has {word!r}, which is no number"
