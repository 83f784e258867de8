"""Layouts in the order of their predicted times, which of them are too close to call, and why the best one wins, in words.

Two layouts are compared at the values of the facts and at both ends: errors that both share leave the ratio. A replay of a known program was found
within 3.7 % (median) of a run on a lab (docs/explanation/accuracy.md), so ratios within 5 % are no difference either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hakaru.base import units
from hakaru.foretell.advise import costs
from hakaru.foretell.advise.by import JOULES, TIME
from hakaru.foretell.advise.predict import Predicted

SCHEMA = "hakaru/advice/1"
NO_DIFFERENCE = 0.05
CAUSE = 0.01  # of the time: a part that differs by less is not worth words


@dataclass
class Advice:
    """``ranked``: best first, ``by`` time, node-hours or joules. ``close``: how many of them are too close to call, the best among them.
    ``no_energy``: why joules are not known; empty where they are."""

    program: str
    machine: str
    ranked: list[Predicted]
    close: int
    reasons: list[str]
    left_out: list[str]
    assumed: list[str] = field(default_factory=list)
    by: str = TIME
    no_energy: str = ""

    @property
    def attention(self) -> list[str]:
        """Warnings of the traces it rests on."""
        return list(dict.fromkeys(text for one in self.ranked for text in one.warnings))

    @property
    def best(self) -> Predicted:
        return self.ranked[0]

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "program": self.program,
            "machine": self.machine,
            "by": self.by,
            "no_energy": self.no_energy,
            "best": self.best.as_dict(),
            "too_close_to_call": self.close > 1,
            "close": [one.candidate.name for one in self.ranked[: self.close]],
            "reasons": self.reasons,
            "layouts": [one.as_dict() for one in self.ranked],
            "left_out": self.left_out,
            "assumed": self.assumed,
            "attention": self.attention,
        }


def slower(one: Predicted, best: Predicted) -> tuple[float, float, float]:
    """(low, value, high) of how many times as long ``one`` takes as ``best``. Errors of facts are shared, those of corrections are not."""
    ratios = [mine / theirs for mine, theirs in zip(one.times_s, best.times_s, strict=True)]
    low, high = one.spread[0] / best.spread[1], one.spread[1] / best.spread[0]
    return min(ratios) * low, ratios[0], max(ratios) * high


def dearer(one: Predicted, best: Predicted, by: str) -> tuple[float, float, float]:
    """(low, value, high) of how many times as much ``one`` costs as ``best``."""
    return costs.times_as_much(one, best, by, slower(one, best))


def surely_slower(one: Predicted, best: Predicted, by: str = TIME) -> bool:
    low, value, _ = dearer(one, best, by)
    return low > 1.0 and value > 1.0 + NO_DIFFERENCE


def rank(
    program: str,
    machine: str,
    predicted: Sequence[Predicted],
    left_out: Sequence[str] = (),
    by: str = TIME,
    why_not: str = "",
) -> Advice:
    """``why_not``: why layouts have no energies. Raises UserError where they are to be ranked by them."""
    known, lost = costs.comparable(predicted, by, why_not)
    ranked = sorted(known, key=lambda one: costs.cost(one, by))
    best = ranked[0]
    apart = [one for one in ranked if surely_slower(one, best, by)]
    near = [one for one in ranked if one not in apart]
    assumed = list(dict.fromkeys(text for one in ranked for text in one.assumed))
    words = reasons(near + apart, len(near)) if by == TIME else cheaper(near + apart, len(near), by)
    missing = "" if any(one.energy for one in predicted) else why_not
    return Advice(program, machine, near + apart, len(near), words, [*left_out, *lost], assumed, by, missing)


def cheaper(ranked: Sequence[Predicted], close: int, by: str) -> list[str]:
    """Sentences: what the best one costs, against the next that surely costs more and against the fastest."""
    best = ranked[0]
    lines = [f"{best.candidate.name} takes the fewest {by}: {_cost(best, by)}."]
    if close < len(ranked):
        low, value, high = dearer(ranked[close], best, by)
        lines.append(
            f"{ranked[close].candidate.name} takes {value:.2f} times as many ({low:.2f} to {high:.2f})."
        )
    fastest = min(ranked, key=lambda one: one.time_s)
    if surely_slower(best, fastest):
        _, longer, _ = slower(best, fastest)
        _, more, _ = dearer(fastest, best, by)
        lines.append(
            f"The fastest is {fastest.candidate.name}: {best.candidate.name} takes {longer:.2f} times as long, "
            f"and the fastest {more:.2f} times as many {by}."
        )
    if close > 1:
        lines.append(f"The first {close} layouts are too close to call by {by}: take the fastest of them.")
    return lines


def _cost(one: Predicted, by: str) -> str:
    if by == JOULES:
        marked = "" if one.energy.kind == "measured" else ", an estimate"
        return f"{one.energy.joules.text('J')} by {one.energy.source}{marked}"
    found = costs.node_hours(one)
    return f"{found.value:.3g} ({found.low:.3g} to {found.high:.3g})"


def reasons(ranked: Sequence[Predicted], close: int) -> list[str]:
    """Sentences: flat against hybrid, then best against the next that is surely slower."""
    best = ranked[0]
    lines = []
    other_model = next((one for one in ranked if one.candidate.model != best.candidate.model), None)
    if other_model:
        lines.append(_flat_or_hybrid(best, other_model))
    other_binding = next((one for one in ranked if _bound_otherwise(one, best)), None)
    if other_binding:
        lines.append(_compact_or_spread(best, other_binding))
    if close < len(ranked) and ranked[close] not in (other_model, other_binding):
        lines.append(_against(best, ranked[close]))
    if close > 1:
        lines.append(
            f"The first {close} layouts are too close to call: measure them, or take the one that is easiest to run."
        )
    if best.carried:
        lines.append(f"Times are less sure than their order: {best.carried}.")
    return lines


def _flat_or_hybrid(best: Predicted, other: Predicted) -> str:
    if surely_slower(other, best):
        return _against(best, other)
    low, value, high = slower(other, best)
    return (
        f"Flat and hybrid are too close to call: {other.candidate.model} ({other.candidate.name}) takes {value:.2f} times as long "
        f"({low:.2f} to {high:.2f}) as {best.candidate.model} ({best.candidate.name})."
    )


def _bound_otherwise(one: Predicted, best: Predicted) -> bool:
    """The same layout on other sockets."""
    return one.candidate == replace(best.candidate, sockets=one.candidate.sockets) != best.candidate


def _compact_or_spread(best: Predicted, other: Predicted) -> str:
    if surely_slower(other, best):
        return _against(best, other)
    low, value, high = slower(other, best)
    return (
        f"Ranks that fill sockets and ranks spread over them are too close to call: {other.candidate.name} takes {value:.2f} times as long "
        f"({low:.2f} to {high:.2f}) as {best.candidate.name}."
    )


def _against(best: Predicted, other: Predicted) -> str:
    low, value, high = slower(other, best)
    causes = [
        *_causes(best, other),
        *_bandwidth(best, other),
        *_messages(best, other),
        *_memory(best, other),
    ]
    why = "; ".join(causes) or "no part of the time differs by a percent"
    return f"{best.candidate.name} wins over {other.candidate.name}, which takes {value:.2f} times as long ({low:.2f} to {high:.2f}): {why}."


def _causes(best: Predicted, other: Predicted) -> list[str]:
    """Parts of the time that differ, largest first."""
    parts = (
        ("computing", best.compute_s, other.compute_s),
        ("communicating and waiting", best.communicate_s, other.communicate_s),
        ("starting threads", best.fork_s, other.fork_s),
    )
    told = sorted(parts, key=lambda part: -abs(part[2] - part[1]))
    return [
        f"{name} takes {units.seconds(mine)} instead of {units.seconds(theirs)}"
        for name, mine, theirs in told
        if abs(theirs - mine) > CAUSE * best.time_s
    ] + _corrected(best, other)


def _corrected(best: Predicted, other: Predicted) -> list[str]:
    """What runs showed that the replay does not say: waiting for memory, imbalance of threads, work inside messages."""
    if abs(other.corrected_s - best.corrected_s) <= CAUSE * best.time_s:
        return []
    mine, theirs = (
        units.signed_percent(one.corrected_s / (one.time_s - one.corrected_s)) for one in (best, other)
    )
    return [f"runs of these layouts took {mine} and {theirs} against their replays"]


def _messages(best: Predicted, other: Predicted) -> list[str]:
    if best.messages == other.messages and best.message_bytes == other.message_bytes:
        return []
    return [f"it sends {_sent(best)} instead of {_sent(other)}"]


def _sent(one: Predicted) -> str:
    if not one.messages:
        return "no messages"
    mean = units.capacity(one.message_bytes / one.messages)
    return f"{units.count(one.messages, 'message')} of {mean} ({units.capacity(one.message_bytes)} in all)"


def _bandwidth(best: Predicted, other: Predicted) -> list[str]:
    """Where the same ranks sit on other sockets."""
    mine, theirs = best.rank_bandwidth, other.rank_bandwidth
    if not _bound_otherwise(other, best) or not mine or not theirs or abs(mine / theirs - 1.0) < CAUSE:
        return []
    return [f"a rank gets {units.quantity(mine, 'B/s')} of memory instead of {units.quantity(theirs, 'B/s')}"]


def _memory(best: Predicted, other: Predicted) -> list[str]:
    if not best.memory_bytes or not other.memory_bytes:
        return []
    if abs(best.memory_bytes / other.memory_bytes - 1.0) < NO_DIFFERENCE:
        return []
    return [
        f"it needs {units.capacity(best.memory_bytes)} of memory instead of {units.capacity(other.memory_bytes)}"
    ]
