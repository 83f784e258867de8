"""Runs ctest and pytest with their output shown as it comes, then repeats their closing lines."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, root
from hakaru.own.setup.packages import ensure_packages

NO_TESTS = 5  # exit code of pytest when it selected none
PYTHON_FOLDERS = ("python", "tests", "apps", "probes", "bench", "studies")
TIMEOUT_S = 600  # of one native test: none waits for ever
MOST_WORKERS = 8  # of pytest: most tests start ranks of their own
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Part:
    """One runner: what it is called, its exit code, and the line it closed with."""

    name: str
    exit_code: int
    closing: str
    duration_s: float


def run_part(
    name: str,
    command: Sequence[str],
    closes: Callable[[str], bool],
    folder: Path,
    variables: Mapping[str, str] | None = None,
) -> Part:
    """Runs a test runner in ``folder``; ``closes`` recognises its closing line."""
    print(f"==== {name}: {' '.join(command)}", flush=True)
    begin, closing = time.monotonic(), "it printed no closing line"
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise UserError(f"{name} cannot start", str(error), "run ./hakaru doctor", ENVIRONMENT) from error
    with process:
        for line in process.stdout:
            print(line, end="", flush=True)
            plain = ESCAPES.sub("", line).strip()
            if closes(plain):
                closing = plain.strip("= ")
    return Part(name, process.returncode, closing, time.monotonic() - begin)


def closes_ctest(line: str) -> bool:
    """``100% tests passed, 0 tests failed out of 12``, or that there were none."""
    return re.match(r"\d+% tests passed", line) is not None or line.startswith("No tests were found")


def closes_pytest(line: str) -> bool:
    """``==== 12 passed, 1 skipped in 3.21s ====``"""
    return re.match(r"=*\s*(\d+ \w+.*|no tests ran) in [\d.]+s", line) is not None


def native_part(select: str | None) -> Part:
    jobs = str(len(os.sched_getaffinity(0)))
    command = ["ctest", "--test-dir", str(build_folder()), "--output-on-failure", "--no-tests=error"]
    command += ["--timeout", str(TIMEOUT_S), "--parallel", jobs]
    command += ["-R", select] if select else []
    return run_part("native tests", command, closes_ctest, root())


def python_part(select: str | None, every: bool = False) -> Part:
    """``every``: also what takes ten minutes and more, which pytest's own settings leave out."""
    folders = [name for name in PYTHON_FOLDERS if (root() / name).is_dir()]
    workers = min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    command = [*_pytest(select), *folders, "-m", "not alone" if every else "not alone and not long"]
    command += ["-n", str(workers), "--dist", "loadscope"] if workers > 1 else []
    return run_part("Python tests", command, closes_pytest, root())


def alone_part(select: str | None, every: bool = False) -> Part:
    """Tests that measure: one after another, while nothing else runs."""
    marks = "alone" if every else "alone and not long"
    part = run_part("tests of labs", [*_pytest(select), "python", "-m", marks], closes_pytest, root())
    return replace(part, exit_code=0) if part.exit_code == NO_TESTS else part


def _pytest(select: str | None) -> list[str]:
    colour = "yes" if sys.stdout.isatty() else "no"
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-ra", f"--color={colour}"]
    return command + (["-k", select] if select else [])


def offer(purposes: tuple[str, ...]) -> None:
    """What some tests need, a browser and with ``--all`` programs of others: installed when that is allowed, else what is skipped is said."""
    try:
        ensure_packages(purposes)
    except UserError as error:
        print(f"hakaru: {error}; tests that need it are skipped", file=sys.stderr, flush=True)


def run_tests(only: str | None = None, select: str | None = None, every: bool = False) -> int:
    """0 when every part passed, 1 otherwise; a part that fails does not stop the other."""
    # Started in the background of a script, this process ignores Ctrl-C, and so would the programs that the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if only != "native":
        offer(("test", "packaged") if every else ("test",))
    parts = [native_part(select)] if only != "python" else []
    parts += [python_part(select, every), alone_part(select, every)] if only != "native" else []
    print("====", flush=True)
    for part in parts:
        verdict = "passed" if part.exit_code == 0 else f"FAILED (exit code {part.exit_code})"
        print(f"{part.name} {verdict}: {part.closing} ({part.duration_s:.0f} s)", flush=True)
    return 0 if all(part.exit_code == 0 for part in parts) else 1
