"""Whether a lab is what was asked for: a ping-pong of MPI messages beside what the links allow."""

import math
from dataclasses import dataclass
from statistics import median

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.lab import system
from hakaru.run.lab.bring import ask_statistics
from hakaru.run.lab.execute import require_up, run
from hakaru.run.lab.plan import Settings

TIMEOUT_S = 300.0
HEADERS_BYTES = 20 + 20 + 12  # IPv4, TCP, its time stamps (RFC 791, 9293, 7323)
FRAMING_BYTES = 14 + 24  # Ethernet's header; preamble, check sequence, gap
LATE_S = 100e-6  # a small message may come so much later than the links need (software on both sides, waking)
SLOW = 0.8  # a stream must reach this share of what the links allow


@dataclass(frozen=True)
class Row:
    """One figure beside what the links allow: the least time (``s``) or the highest rate (``B/s``)."""

    what: str
    unit: str
    bound: float
    measured: float
    best: float
    verdict: str


def bytes_on_the_link(message_bytes: int, mtu_bytes: int) -> int:
    """Of a message in full frames, with all headers and gaps."""
    frames = max(1, math.ceil(message_bytes / (mtu_bytes - HEADERS_BYTES)))
    return message_bytes + frames * (HEADERS_BYTES + FRAMING_BYTES)


def least_time_s(message_bytes: int, settings: Settings) -> float:
    """Latency and the time that the bytes occupy one link."""
    if settings.rate_bytes_per_s is None:
        return settings.latency_s
    return (
        settings.latency_s + bytes_on_the_link(message_bytes, settings.mtu_bytes) / settings.rate_bytes_per_s
    )


def highest_rate(settings: Settings) -> float:
    """Message bytes per second that full frames can carry; infinite on an unlimited link."""
    if settings.rate_bytes_per_s is None:
        return math.inf
    payload = settings.mtu_bytes - HEADERS_BYTES
    return settings.rate_bytes_per_s * payload / (payload + HEADERS_BYTES + FRAMING_BYTES)


class Messages(msgspec.Struct, frozen=True):
    """Samples of one length."""

    bytes: int
    one_way_s: tuple[float, ...]


class PingPong(msgspec.Struct, frozen=True):
    """What the lab's ping-pong prints."""

    hosts: tuple[str, ...]
    points: tuple[Messages, ...]
    stream_bytes_per_s: tuple[float, ...]


@dataclass(frozen=True)
class Checked:
    """``statistics``: the switch's counts, empty where it does not answer."""

    hosts: tuple[str, ...]
    rows: list[Row]
    statistics: dict[str, int]
    passed: bool


def judge(measured: PingPong, settings: Settings) -> list[Row]:
    """Rows of the table. ``impossible`` is faster than the links allow: then they are not shaped, or the clock is wrong."""
    rows = []
    for index, point in enumerate(measured.points):
        least, best, middle = (
            least_time_s(point.bytes, settings),
            min(point.one_way_s),
            median(point.one_way_s),
        )
        verdict = "impossible" if best < least else "late" if index == 0 and middle > least + LATE_S else "ok"
        rows.append(Row(f"{point.bytes} B one way", "s", least, middle, best, verdict))
    rates = measured.stream_bytes_per_s
    bound, middle, best = highest_rate(settings), median(rates), max(rates)
    # The stream's time holds one latency each way beside the bytes, so the bound cannot be passed.
    slow = math.isfinite(bound) and middle < SLOW * bound
    verdict = "impossible" if best > bound else "slow" if slow else "ok"
    rows.append(Row("16 messages of 1 MiB", "B/s", bound, middle, best, verdict))
    return rows


def check(real_time: bool = False) -> Checked:
    """Measures between the first two hosts of the lab that is up."""
    state = require_up()
    pingpong = [str(system.native_program("pingpong"))]
    done = run(pingpong, ranks=2, per_host=1, timeout_s=TIMEOUT_S, real_time=real_time)
    if done.returncode != 0:
        raise UserError(
            "the ping-pong failed",
            " ".join(done.stderr.split()) or f"exit status {done.returncode}",
            "run hakaru lab status",
            ENVIRONMENT,
        )
    measured = msgspec.json.decode(done.stdout, type=PingPong)
    rows = judge(measured, state.settings)
    statistics = ask_statistics(state) or {}
    lost = statistics.get("dropped_frames", 0) + statistics.get("refused_frames", 0)
    passed = lost == 0 and all(row.verdict == "ok" for row in rows)
    return Checked(measured.hosts, rows, statistics, passed)
