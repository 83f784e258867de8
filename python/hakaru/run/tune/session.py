"""Few, interleaved launches: rounds in which every setting still in play runs once, and the defaults once for every few of them, in an order
drawn anew.

A setting's time over the median of the defaults in the same round is what counts, so that drift of the machine cancels. After each round from the
second on a setting is dropped that was slower in every round, by ``CLEAR`` in the median, or at all when it lost four times. Worth confirming is the
best of each group that was faster in every round, or but for one by ``CLEAR`` in the median: of many settings that do nothing half are faster in
most rounds. These, combined, are launched again, in turn with the defaults, and only these fresh launches give the gain: the best of many is partly
luck, and launches that chose it cannot say how good it is.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval, median_interval
from hakaru.run.tune.settings import DEFAULT, Setting, combined
from hakaru.run.tune.timed import LaunchFailed

ROUNDS = 5
PAIRS = 8  # fresh launches of defaults and winner
CLEAR = 1.05
LOSSES = 4
SETTINGS_EACH = 8  # settings for each launch of the defaults in a round
PATIENCE = 5.0  # times the median of the defaults, and at least LEAST_LIMIT_S
LEAST_LIMIT_S = 10.0
WARMUPS = 1

Attempt = Callable[[Setting, float | None], float]
Say = Callable[[str], None]


@dataclass
class Trial:
    """``times``: by round; ``ended``: why it left the game, None: it did not."""

    setting: Setting
    times: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    ended: str | None = None

    @property
    def ratio(self) -> float | None:
        return median(self.ratios) if self.ratios else None


@dataclass
class Tuning:
    """``gain``: time under ``winner`` over that of the defaults, of fresh launches; None when nothing was worth confirming."""

    library: str
    default_times: list[float] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    winner: Setting | None = None
    gain: Interval | None = None
    launches: int = 0
    complete: bool = False
    told: list[str] = field(default_factory=list)

    @property
    def helps(self) -> bool:
        """The whole interval lies below 1."""
        return self.complete and self.gain is not None and self.gain.high < 1.0

    def as_dict(self) -> dict[str, object]:
        return {
            "schema": "hakaru/tuning/1",
            "library": self.library,
            "complete": self.complete,
            "launches": self.launches,
            "default": _spread(self.default_times),
            "settings": [
                {
                    "name": one.setting.label,
                    "environment": dict(one.setting.environment),
                    "times": one.times,
                    "ratio": one.ratio,
                    "ended": one.ended,
                }
                for one in self.trials
            ],
            "helps": self.helps,
            "winner": self.winner
            and {"name": self.winner.label, "environment": dict(self.winner.environment)},
            "gain": self.gain
            and {
                "value": self.gain.value,
                "low": self.gain.low,
                "high": self.gain.high,
                "pairs": self.gain.count,
            },
            "not_tried": self.told,
        }


def _spread(times: Sequence[float]) -> dict[str, float] | None:
    if not times:
        return None
    found = median_interval(times)
    return {"value": found.value, "low": found.low, "high": found.high}


def tune(
    settings: Iterable[Setting],
    launch: Attempt,
    tuning: Tuning,
    say: Say = lambda text: None,
    rounds: int = ROUNDS,
    pairs: int = PAIRS,
    seed: int = 1,
) -> Tuning:
    """Fills ``tuning``; after Ctrl-C it holds what was measured and is not complete. Raises UserError when the program fails at its defaults."""
    order = random.Random(seed)
    tuning.trials = [Trial(one) for one in settings]
    try:
        for _ in range(WARMUPS):
            _default(launch, tuning, None)
        for number in range(1, rounds + 1):
            _round(tuning, launch, order, say, number, rounds)
        chosen = _choose(tuning)
        if chosen is not None:
            tuning.winner = chosen
            tuning.gain = _confirm(tuning, chosen, launch, order, say, pairs)
        tuning.complete = True
    except KeyboardInterrupt:
        say("interrupted: what was measured is kept")
    return tuning


def _default(launch: Attempt, tuning: Tuning, limit_s: float | None) -> float:
    tuning.launches += 1
    try:
        return launch(DEFAULT, limit_s)
    except LaunchFailed as error:
        raise UserError(
            "the program fails without any setting", str(error), "make this command work first"
        ) from None


def _limit_s(tuning: Tuning, wall: bool = True) -> float | None:
    return (
        max(LEAST_LIMIT_S, PATIENCE * median(tuning.default_times)) if tuning.default_times and wall else None
    )


def _round(tuning: Tuning, launch: Attempt, order: random.Random, say: Say, number: int, rounds: int) -> None:
    playing = [one for one in tuning.trials if one.ended is None]
    say(f"round {number} of {rounds}: {len(playing)} settings")
    turns: list[Trial | None] = [*[None] * (1 + len(playing) // SETTINGS_EACH), *playing]
    order.shuffle(turns)
    defaults: list[float] = []
    fresh: list[tuple[Trial, float]] = []
    for one in turns:
        if one is None:
            defaults.append(_default(launch, tuning, None))
            tuning.default_times.append(defaults[-1])
        elif (took := _attempt(one, launch, tuning)) is not None:
            fresh.append((one, took))
    usual = median(defaults)
    for one, took in fresh:
        one.ratios.append(took / usual)
        one.ended = _verdict(one.ratios) if number < rounds else None


def _attempt(one: Trial, launch: Attempt, tuning: Tuning) -> float | None:
    tuning.launches += 1
    try:
        took = launch(one.setting, _limit_s(tuning))
    except LaunchFailed as error:
        one.ended = f"failed: {error}"
        return None
    one.times.append(took)
    return took


def _verdict(ratios: Sequence[float]) -> str | None:
    """Why a setting is dropped, or None."""
    if len(ratios) < 2 or min(ratios) <= 1.0:
        return None
    if median(ratios) > CLEAR:
        return f"dropped: slower in each of {len(ratios)} rounds, {median(ratios):.2f} times as long"
    if len(ratios) >= LOSSES:
        return f"dropped: slower in each of {len(ratios)} rounds"
    return None


def _choose(tuning: Tuning) -> Setting | None:
    """The best of each group of those that are worth confirming, all of them combined; None when there is none."""
    best: dict[str, Trial] = {}
    for one in tuning.trials:
        if one.ended is not None or not _worth(one.ratios):
            continue
        other = best.get(one.setting.group)
        if other is None or one.ratio < other.ratio:
            best[one.setting.group] = one
    if not best:
        return None
    settings = [one.setting for one in sorted(best.values(), key=lambda one: one.ratio)]
    return settings[0] if len(settings) == 1 else combined(settings)


def _worth(ratios: Sequence[float]) -> bool:
    lost = sum(ratio >= 1.0 for ratio in ratios)
    return bool(ratios) and (lost == 0 or (lost == 1 and median(ratios) < 1.0 / CLEAR))


def _confirm(
    tuning: Tuning, chosen: Setting, launch: Attempt, order: random.Random, say: Say, pairs: int
) -> Interval | None:
    """Ratios of fresh pairs. A combination that fails gives None, and is told."""
    say(f"confirming '{chosen.label}' with {pairs} fresh pairs of launches")
    ratios = []
    for _ in range(pairs):
        took: dict[bool, float] = {}
        for mine in order.sample([True, False], 2):
            if not mine:
                took[mine] = _default(launch, tuning, None)
                continue
            tuning.launches += 1
            try:
                took[mine] = launch(chosen, _limit_s(tuning))
            except LaunchFailed as error:
                tuning.told.append(f"'{chosen.label}' failed when it was launched again: {error}")
                return None
        ratios.append(took[True] / took[False])
    return median_interval(ratios)
