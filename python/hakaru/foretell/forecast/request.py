"""What to ask a batch system for, so that a run fits: from the upper ends of the intervals, rounded up as a person would."""

import math
from dataclasses import dataclass

from hakaru.facts.forecasts import Forecast

TIMES = (
    (600.0, 60.0),
    (3600.0, 300.0),
    (14400.0, 900.0),
    (86400.0, 3600.0),
)  # up to so many s in steps of so many
DAY_STEP_S = 21600.0
MIB, GIB = 2**20, 2**30


@dataclass(frozen=True)
class Request:
    """``time_s`` and ``node_bytes`` are rounded up; ``node_bytes`` is None where the memory is not known."""

    nodes: int
    ranks: int
    threads: int
    time_s: float
    node_bytes: int | None

    def words(self) -> list[str]:
        """As Slurm takes them."""
        found = [f"--nodes={self.nodes}", f"--ntasks={self.ranks}", f"--cpus-per-task={self.threads}"]
        found.append(f"--time={clock(self.time_s)}")
        return [*found, f"--mem={memory_word(self.node_bytes)}"] if self.node_bytes else found

    def as_dict(self) -> dict[str, object]:
        return {
            "nodes": self.nodes,
            "ranks": self.ranks,
            "threads": self.threads,
            "time_s": self.time_s,
            "node_bytes": self.node_bytes,
            "slurm": " ".join(self.words()),
        }


def of(made: Forecast, nodes: int = 1, repetitions: int = 1) -> Request:
    """``repetitions``: how many of what was foretold one job makes. Raises ValueError for a refused forecast."""
    if made.time_s is None:
        raise ValueError("a refused forecast asks for nothing")
    memory = round_bytes(made.memory.node.high) if made.memory else None
    return Request(
        nodes, made.layout.ranks, made.layout.threads, round_time(made.time_s.high * repetitions), memory
    )


def round_time(seconds: float) -> float:
    """The next whole minute, five minutes, quarter, hour, quarter of a day."""
    step = next((step for limit, step in TIMES if seconds <= limit), DAY_STEP_S)
    return max(math.ceil(seconds / step) * step, 60.0)


def round_bytes(wanted: float) -> int:
    """The next 100 MiB below 1 GiB, 1 GiB below 32 GiB, 8 GiB above, with a tenth to spare: what the kernel charges a job for is more
    than the resident sets of its ranks."""
    spare = 1.1 * wanted
    step = 100 * MIB if spare <= GIB else GIB if spare <= 32 * GIB else 8 * GIB
    return int(math.ceil(spare / step) * step)


def clock(seconds: float) -> str:
    """``1-06:00:00``, ``02:30:00``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days}-{hours:02d}:{minutes:02d}:{rest:02d}" if days else f"{hours:02d}:{minutes:02d}:{rest:02d}"


def memory_word(wanted: int) -> str:
    return f"{wanted // GIB}G" if wanted % GIB == 0 else f"{wanted // MIB}M"
