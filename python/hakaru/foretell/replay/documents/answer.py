"""The answer of one replay, of a sweep and of a sensitivity (schema/replay.schema.json). Times in s."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hakaru.facts.machines.fact import Fact, Keys
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Count, Moment, Name, Seconds, Words
from hakaru.facts.work import Parameters
from hakaru.foretell.replay.choices import SENDS, WAYS
from hakaru.foretell.replay.documents.network import Price
from hakaru.foretell.replay.documents.options import Noise
from hakaru.foretell.replay.documents.result import Efficiency

SCHEMA = "hakaru/replay/1"

Factor = Annotated[float, Meta(ge=0.0)]


class Input(Strict, omit_defaults=True, kw_only=True):
    """What was replayed; ``warnings`` of a trace must be said loudly."""

    kind: Literal["trace", "schedule"]
    name: str
    program: str | None
    parameters: Parameters
    ranks: AtLeastOne
    threads: AtLeastOne
    warnings: tuple[str, ...] = ()


class PlacedRanks(Strict, omit_defaults=True, kw_only=True):
    """``levels`` are the distances that occur; ``attention`` must be said loudly."""

    ranks_per_node: AtLeastOne
    nodes: AtLeastOne
    threads: AtLeastOne
    levels: tuple[str, ...]
    attention: str | None = None


class RatesOfRank(Strict, kw_only=True):
    flops_per_s: float
    bytes_per_s: float


class Team(Strict, kw_only=True):
    """What threads add to each computation of a schedule: seconds to start them, and max / mean - 1 of their times."""

    fork_s: Seconds = 0.0
    imbalance: Factor = 0.0


class Computing(Strict, kw_only=True):
    """How computing was priced."""

    way: Literal[WAYS]
    factor: Factor
    phase_factor: dict[str, Factor]
    rates: RatesOfRank | None
    team: Team = Team()
    text: Words


class PhaseOfAnswer(Strict, kw_only=True):
    """Over ranks."""

    name: str
    kind: str
    minimum_s: Seconds
    mean_s: Seconds
    maximum_s: Seconds


class Basis(Strict, kw_only=True):
    """A fact that a replay rests on, with its path; ``about`` are its keys."""

    fact: Words
    about: Keys = {}
    value: float | int | str
    unit: str
    source: str | None
    note: str | None = None

    @classmethod
    def of(cls, path: str, fact: Fact) -> "Basis":
        return cls(
            fact=path,
            about=fact.keys,
            value=fact.value,
            unit=fact.unit or "1",
            source=fact.source,
            note=fact.note or None,
        )

    def named(self, path: str) -> "Basis":
        """The same fact by another name."""
        return Basis(**{name: getattr(self, name) for name in self.__struct_fields__} | {"fact": path})

    def entry(self) -> dict[str, Any]:
        """In a file its keys stand beside its value."""
        own = {"fact": self.fact, **self.about, "value": self.value, "unit": self.unit, "source": self.source}
        return own | ({"note": self.note} if self.note else {})


class Setting(Strict, omit_defaults=True, kw_only=True):
    """A fact that a person set, to a value or by a factor."""

    fact: Words
    factor: float | None = None
    value: float | str | None = None
    unit: str


class Sends(Strict, kw_only=True):
    """What blocking sends became, how many over all ranks, and what the time is compared with: the sends as they are (None where they cannot
    progress), and waits before the next computing."""

    way: Literal[SENDS]
    changed: Count
    as_they_are_s: Seconds | None
    exchange_s: Seconds


class Head(Strict, kw_only=True):
    """Of every answer."""

    schema: Literal["hakaru/replay/1"] = SCHEMA
    kind: Literal["replay", "sweep", "sensitivity"]
    id: Name
    created: Moment

    def as_dict(self) -> dict[str, Any]:
        told = super().as_dict()
        if "base" in told:
            told["base"] = self.base.as_dict()
        return told


class Answer(Head, kw_only=True):
    """``breakdown_s``: means over ranks that add up to ``time_s``; ``set``: what a person set; ``forecast``: id of the one stored."""

    kind: Literal["replay"] = "replay"
    input: Input
    machine: Words
    network: Words
    placement: PlacedRanks
    compute: Computing
    noise: Noise | None
    collectives: dict[str, str | Price]
    time_s: Seconds
    breakdown_s: dict[str, Seconds]
    messages: Count
    bytes: Count
    phases: tuple[PhaseOfAnswer, ...]
    critical_path_s: dict[str, float] | None
    engine: str
    efficiency: Efficiency | None
    facts: tuple[Basis, ...]
    assumed: tuple[Words, ...]
    set: tuple[Setting, ...]
    forecast: str | None
    sends: Sends | None = None

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"facts": [one.entry() for one in self.facts]}


class Axis(Strict, kw_only=True):
    """A swept fact; ``base`` is the machine's own value."""

    fact: str
    unit: str
    values: tuple[float, ...]
    logarithmic: bool
    base: float | None


class SweptPoint(Strict, kw_only=True):
    """``time_s`` and ``speed`` (1: the machine as it is) are None where it was not replayed."""

    values: tuple[float, ...]
    time_s: Seconds | None
    speed: Factor | None


class Sweep(Head, kw_only=True):
    """``bound`` is the speed when messages cost nothing; ``complete`` is False after an interruption."""

    kind: Literal["sweep"] = "sweep"
    base: Answer
    bound: float | None
    axes: tuple[Axis, ...]
    points: tuple[SweptPoint, ...]
    complete: bool

    @property
    def done(self) -> list[SweptPoint]:
        """Points that were replayed."""
        return [point for point in self.points if point.time_s is not None]


class Gain(Strict, kw_only=True):
    """What a fact buys: 1 - time / time of the machine as it is."""

    fact: str
    time_s: Seconds | None
    gain: float | None


class Sensitivity(Head, kw_only=True):
    """``improvement``: how much less time each fact costs."""

    kind: Literal["sensitivity"] = "sensitivity"
    base: Answer
    improvement: Annotated[float, Meta(gt=0.0, lt=1.0)]
    rows: tuple[Gain, ...]
    complete: bool
