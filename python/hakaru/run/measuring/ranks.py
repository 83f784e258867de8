"""What hakaru_rank (native/measure/rank.cpp) wrote of each rank."""

from dataclasses import dataclass
from pathlib import Path

TOOL = "hakaru_rank"


@dataclass(frozen=True)
class RankReport:
    """Times in s; ``peak_bytes``: largest resident set of one of its processes; ``allowed``: processors that it might use."""

    rank: int
    host: str
    began_s: float
    ended_s: float
    wall_s: float
    user_s: float
    system_s: float
    peak_bytes: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    allowed: tuple[int, ...]
    status: int


def read(folder: Path) -> list[RankReport]:
    """In the order of ranks; what is no whole report is left out."""
    found = [_report(path.read_text(errors="replace")) for path in folder.glob("*.rank")]
    return sorted((one for one in found if one), key=lambda one: (one.rank, one.began_s))


def _report(text: str) -> RankReport | None:
    told = dict(line.partition(" ")[::2] for line in text.splitlines())
    try:
        return RankReport(
            rank=int(told["rank"]),
            host=told["host"],
            allowed=tuple(int(one) for one in told["allowed"].split(",") if one),
            **{name: float(told[name]) for name in ("began_s", "ended_s", "wall_s", "user_s", "system_s")},
            **{
                name: int(told[name])
                for name in (
                    "peak_bytes",
                    "major_faults",
                    "voluntary_switches",
                    "involuntary_switches",
                    "status",
                )
            },
        )
    except (KeyError, ValueError):
        return None
