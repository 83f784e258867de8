"""Time until ``hakaru --help`` has printed, set-up done: what every command pays before it does anything."""

import subprocess
import sys
from collections.abc import Callable, Sequence

from hakaru.base.paths import root
from hakaru.own.bench import interleave, row
from hakaru.own.setup.build import PROGRAMS, is_current

ROUNDS = 15
BOUND_S = 0.3


def process(command: Sequence[str]) -> Callable[[], None]:
    def start_and_wait() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    return start_and_wait


def ours() -> list[str]:
    launcher = root() / "hakaru"
    return [str(launcher)] if launcher.is_file() else [sys.executable, "-P", "-m", "hakaru.start"]


def look_for_changes() -> None:
    is_current((PROGRAMS,))


def run() -> list[dict]:
    result = interleave(
        {
            "ours": process([*ours(), "--help"]),
            "library": process([sys.executable, "-c", "import typer"]),
            "interpreter": process([sys.executable, "-c", ""]),
            "sources": look_for_changes,
        },
        ROUNDS,
    )
    library_s = result.interval("library").value
    return [
        row("startup", "hakaru --help, peer: import typer", result.interval("ours"), "s", BOUND_S, library_s),
        row(
            "startup",
            "the same over an empty interpreter",
            result.ratio("ours", "interpreter"),
            "1",
            None,
            1.0,
        ),
        row("startup", "seeing that no source changed", result.interval("sources"), "s"),
    ]
