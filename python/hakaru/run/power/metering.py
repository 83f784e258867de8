"""The energy of one launch: every meter is read before it, while it runs and after it. A meter that fails disturbs nobody.

Counters that begin again at their range are looked at so often that they cannot have done so twice; powers are added up by the trapezoid rule
over the moments at which they were read. The mean power between the first and the last reading is that of the launch.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hakaru.facts.records.power import Power, Reading
from hakaru.run.power.known import meters
from hakaru.run.power.meter import Found, Meter, Place

LEAST_STEPS = 5  # of a meter in a launch that it says something about
MOST_W = 10_000.0  # of a package: nothing that has such a counter takes more
LONGEST_LOOK_S = 10.0
MOST_WORDS = 1000


def look_s(meter: Meter) -> float:
    """Time between two readings."""
    if meter.counts == "power":
        return meter.step_s
    wrap_s = meter.range_j / (2.0 * MOST_W) if meter.range_j else LONGEST_LOOK_S
    return max(min(wrap_s, LONGEST_LOOK_S), meter.step_s)


class Track:
    """What one meter has said so far; ``failure``: why it says no more."""

    def __init__(self, meter: Meter, clock=time.monotonic):
        self.meter, self.clock = meter, clock
        self.joules, self.failure = 0.0, ""
        self._last: tuple[float, float] | None = None
        self._first_s = 0.0

    def look(self) -> None:
        if self.failure:
            return
        try:
            value = self.meter.read()
            self._add(self.clock(), value)
        except (OSError, ValueError) as error:
            self.failure = getattr(error, "strerror", None) or str(error)

    def _add(self, now: float, value: float) -> None:
        before, self._last = self._last, (now, value)
        if before is None:
            self._first_s = now
            return
        passed_s = now - before[0]
        if self.meter.counts == "power":
            self.joules += 0.5 * (before[1] + value) * passed_s
        else:
            self.joules += self._counted(value - before[1], passed_s)

    def _counted(self, difference: float, passed_s: float) -> float:
        range_j = self.meter.range_j
        if range_j and passed_s * MOST_W > range_j:
            raise ValueError(f"it was not read for {passed_s:.0f} s and may have begun again more than once")
        if difference >= 0.0:
            return difference
        if range_j is None or difference + range_j < 0.0:
            raise ValueError("the counter went back")
        return difference + range_j

    def reading(self, seconds: float) -> Reading | str:
        """Or why there is none."""
        source = self.meter.source
        if self.failure:
            return f"{source}: {self.failure}"
        least_s = LEAST_STEPS * self.meter.step_s
        if seconds < least_s:
            return f"{source}: the launch took {seconds:.2g} s, and it says something about {least_s:.2g} s and more"
        if self.joules <= 0.0:
            return f"{source}: it did not move"
        watts = self.joules / (self._last[0] - self._first_s)
        return Reading(scope=self.meter.scope, source=source, joules=watts * seconds, watts=watts)


class Metering:
    """``power`` is there when the launch has ended."""

    def __init__(self) -> None:
        self.power: Power | None = None


@contextmanager
def metered(nodes: int = 1, place: Place | None = None) -> Iterator[Metering]:
    """Around one launch. ``nodes``: over which its ranks are; a meter sees the node on which it is read."""
    found = Found(why_not=_elsewhere(nodes)) if nodes > 1 else meters(place)
    tracks = [Track(meter) for meter in found.meters]
    result, ended = Metering(), threading.Event()
    _look(tracks)
    threads = _start(tracks, ended)
    began = time.monotonic()
    try:
        yield result
    finally:
        seconds = max(time.monotonic() - began, 1e-9)
        ended.set()
        for thread in threads:
            thread.join()
        _look(tracks)
        result.power = _power(seconds, [track.reading(seconds) for track in tracks], found.why_not)


def _elsewhere(nodes: int) -> str:
    return f"the ranks are on {nodes} nodes, and the meters of this one say nothing of the others"


def _look(tracks: Sequence[Track]) -> None:
    for track in tracks:
        track.look()


def _start(tracks: Sequence[Track], ended: threading.Event) -> list[threading.Thread]:
    """A thread for each kind of meter, so that a slow one delays no other."""
    kinds: dict[tuple[str, float], list[Track]] = {}
    for track in tracks:
        kinds.setdefault((track.meter.kind, look_s(track.meter)), []).append(track)

    def follow(own: Sequence[Track], each_s: float) -> None:
        while not ended.wait(each_s):
            _look(own)

    threads = [
        threading.Thread(target=follow, args=(own, each_s), daemon=True) for (_, each_s), own in kinds.items()
    ]
    for thread in threads:
        thread.start()
    return threads


def _power(seconds: float, said: Sequence[Reading | str], why_not: str) -> Power:
    readings = tuple(one for one in said if isinstance(one, Reading))
    why = "; ".join([*(one for one in said if isinstance(one, str)), *([why_not] if why_not else [])])
    return Power(seconds=seconds, readings=readings, unavailable=why[:MOST_WORDS])
