"""What the starter of a launch knows: the state of the machine and of hakaru itself."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from msgspec import UNSET, UnsetType

from hakaru import __version__
from hakaru.base.paths import root
from hakaru.facts.strict import Strict

PLACE = "HAKARU_PLACE"  # in jobs: the name of the site


def now_text() -> str:
    """Calendar time in UTC as in a record."""
    now = datetime.now(UTC)
    return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"


def _first_line(path: str) -> str | None:
    try:
        return Path(path).read_text().splitlines()[0].strip()
    except (OSError, IndexError):
        return None


class GitState(Strict):
    """Of hakaru's checkout; ``changed``: there is something that is not committed."""

    commit: str | None
    changed: bool

    @classmethod
    def here(cls) -> Self | None:
        """None for an installed package."""
        command = ["git", "-C", str(root()), "status", "--porcelain=v2", "--branch", "--untracked-files=no"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode != 0:
            return None
        lines = done.stdout.splitlines()
        commit = next((line.split()[-1] for line in lines if line.startswith("# branch.oid")), None)
        return cls(commit=commit, changed=any(not line.startswith("#") for line in lines))


class Provenance(Strict):
    """Facts common to the launches of one campaign: part of each record's ``context``. ``place``: in a job, the site whose nodes are alike."""

    hakaru: str
    git: GitState | None
    governor: str
    smt: str
    transparent_huge_pages: str
    clock_source: str
    usable_processors: tuple[int, ...]
    place: str | UnsetType = UNSET

    @classmethod
    def here(cls) -> Self:
        cpu, source = "/sys/devices/system/cpu", "/sys/devices/system/clocksource/clocksource0"
        governor = _first_line(f"{cpu}/cpu0/cpufreq/scaling_governor")
        return cls(
            hakaru=__version__,
            git=GitState.here(),
            governor=governor or "not available here (no cpufreq)",
            smt=_first_line(f"{cpu}/smt/active") or "unknown",
            transparent_huge_pages=_first_line("/sys/kernel/mm/transparent_hugepage/enabled") or "unknown",
            clock_source=_first_line(f"{source}/current_clocksource") or "unknown",
            usable_processors=tuple(sorted(os.sched_getaffinity(0))),
            place=os.environ.get(PLACE) or UNSET,
        )
