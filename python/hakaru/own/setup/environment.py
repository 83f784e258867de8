"""The Python environment of a checkout: .venv made from hash-locked requirements.

What every command imports is installed first; tests and documents bring what they alone need, when they are asked for.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path

from hakaru.base.paths import root
from hakaru.own.setup.needs import of_build
from hakaru.own.setup.packages import ensure_packages
from hakaru.own.setup.places import log_file, one_at_a_time, state_folder
from hakaru.own.setup.progress import run_step


def venv() -> Path:
    return root() / ".venv"


def lock_file(part: str) -> Path:
    """``part``: ``commands``, ``tests`` or ``documents``."""
    return root() / "requirements" / f"{part}.lock"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stamp_file() -> Path:
    return state_folder() / "environment.stamp"


def stamp_text() -> str:
    """What an environment depends on: the checkout's place, its interpreter, the locked requirements.

    ``./hakaru`` compares the same three lines.
    """
    interpreter = os.path.realpath(venv() / "bin" / "python")
    return f"{root()}\n{interpreter}\n{digest(lock_file('commands'))}\n"


def environment_is_current() -> bool:
    return (
        (venv() / "bin" / "python").exists()
        and stamp_file().is_file()
        and stamp_file().read_text() == stamp_text()
    )


def locked_count(lock: str) -> int:
    return sum("==" in line and not line.startswith((" ", "#")) for line in lock.splitlines())


def explain_pip(output: str) -> tuple[str, str]:
    """Why pip failed, from what it printed."""
    lowered = output.lower()
    if "do not match the hashes" in lowered:
        return "a package is not the one that the lock file names", "do not trust that package source"
    if "no space left" in lowered:
        return "the disk is full", "make room and start again"
    signs = ("connection", "name resolution", "timed out", "network is unreachable", "certificate", "proxy")
    if any(sign in lowered for sign in signs) or "could not find a version" in lowered:
        return (
            "the packages of the lock file cannot be fetched from here",
            "connect this machine, or set PIP_NO_INDEX=1 and PIP_FIND_LINKS=<folder of wheels>; start again",
        )
    return "pip ended with an error", "start again when its cause is removed"


class PipProgress:
    """Counts the requirements that pip has come to."""

    def __init__(self, total: int):
        self.total, self.seen = total, 0

    def __call__(self, line: str) -> str | None:
        if line.startswith(("Collecting ", "Requirement already satisfied: ")):
            self.seen = min(self.seen + 1, self.total)
            name = (
                line.removeprefix("Collecting ")
                .removeprefix("Requirement already satisfied: ")
                .split("==")[0]
            )
            return f"{self.seen}/{self.total} {name}"
        if line.startswith("Installing collected packages"):
            return "unpacking"
        return None


def install(part: str, title: str) -> None:
    """pip install of a lock file, into the environment."""
    lock = lock_file(part)
    options = ("--require-hashes", "--no-input", "--progress-bar", "off", "-r", str(lock))
    run_step(
        title,
        (str(venv() / "bin" / "python"), "-m", "pip", "install", *options),
        log_file("environment"),
        state=PipProgress(locked_count(lock.read_text())),
        explain=explain_pip,
    )


def make_environment() -> None:
    log = log_file("environment")
    stamp_file().unlink(missing_ok=True)
    python = venv() / "bin" / "python"
    usable = python.exists() and (venv() / "bin" / "pip").exists() and (venv() / "made_for").is_file()
    made_for = f"{root()}\n{os.path.realpath(python)}\n"
    if not usable or (venv() / "made_for").read_text() != made_for:
        run_step("making the Python environment", (sys.executable, "-m", "venv", "--clear", str(venv())), log)
        (venv() / "made_for").write_text(f"{root()}\n{os.path.realpath(python)}\n")
    install("commands", "installing Python packages")
    site = next((venv() / "lib").glob("python*/site-packages"))
    (site / "hakaru.pth").write_text(f"{root() / 'python'}\n")
    run_step("checking the Python environment", (str(python), "-m", "pip", "check"), log)
    stamp_file().write_text(stamp_text())


def ensure_parts(parts: Iterable[str]) -> None:
    """Installs what ``tests`` or ``documents`` need beside the commands, once; an installed hakaru brings it by itself."""
    for part in parts:
        stamp = venv() / f"{part}.stamp"
        if not lock_file(part).is_file() or (
            stamp.is_file() and stamp.read_text() == digest(lock_file(part))
        ):
            continue
        with one_at_a_time():
            install(part, f"installing Python packages for {part}")
            stamp.write_text(digest(lock_file(part)))


@contextmanager
def beside(work: Callable[[], None]) -> Iterator[None]:
    """Does ``work`` in a thread beside the body, and waits for it; its error comes after the body's own."""
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(work)
        yield
        done.result()


def ensure_environment(programs: bool = False) -> None:
    """Makes .venv current: touches no network when it is, and goes on where an earlier try stopped.

    With ``programs`` the Debian packages that they are built with are installed at the same time.
    """
    if environment_is_current():
        return
    with one_at_a_time():
        if environment_is_current():
            return
        ensure_packages(("environment",), report=of_build())
        with beside(lambda: ensure_packages(of_build())) if programs else nullcontext():
            make_environment()
