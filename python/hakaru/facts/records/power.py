"""The energy of a launch, as the meters of its node counted it, or why none did. Energies in J, powers in W."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from hakaru.base import units
from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Seconds, Words

COMMAND = "command"  # the kind of meter that a person names, which counts before all others
WITHOUT_METER = "its starter looked for no meter"

Scope = Literal["node", "package", "memory", "other"]


class Reading(Strict):
    """What one meter says of a launch from its start to its end. ``scope``: what it covers; ``source``: the kind of meter and which one."""

    scope: Scope
    source: Words
    joules: Seconds
    watts: Seconds

    @property
    def kind(self) -> str:
        return self.source.split()[0]


class Total(Strict):
    """The energy of a launch in one number: of the node, else of its packages, with their memory where that has meters of its own."""

    scope: Words
    source: Words
    joules: Seconds
    watts: Seconds


class Power(Strict, omit_defaults=True):
    """``seconds``: from the start to the end of the launch, with all that its program does beside its repetitions. ``unavailable``: why there
    are no readings, or which meter stopped."""

    seconds: Positive
    readings: tuple[Reading, ...] = ()
    unavailable: Annotated[str, Meta(max_length=1000)] = ""

    @property
    def total(self) -> Total | None:
        """None where nothing that stands for the whole was read. Meters of one scope by different ways are never added up."""
        named = [one for one in self.readings if one.kind == COMMAND]
        if named:
            return _sum(named[:1])
        whole = [one for one in self.readings if one.scope == "node"]
        if whole:
            return _sum(whole[:1])
        packages = [one for one in self.readings if one.scope == "package"]
        kind = packages[0].kind if packages else ""
        memory = [one for one in self.readings if one.scope == "memory" and one.kind == kind]
        own = [one for one in packages if one.kind == kind]
        return _sum([*own, *memory]) if own else None

    @property
    def why_not(self) -> str:
        """Why it has no total; empty where it has."""
        if self.total is not None:
            return ""
        if self.readings:
            return "only parts of the node have meters"
        return self.unavailable or WITHOUT_METER

    @property
    def words(self) -> str:
        """``512 J, 128 W (package, powercap intel-rapl:0 package-0)``, or ``not available (why)``."""
        found = self.total
        if found is None:
            return f"not available ({self.why_not})"
        joules, watts = units.quantity(found.joules, "J"), units.quantity(found.watts, "W")
        return f"{joules}, {watts} ({found.scope}, {found.source})"


def _sum(readings: Sequence[Reading]) -> Total:
    scopes = list(dict.fromkeys(one.scope for one in readings))
    first, *others = readings
    return Total(
        scope=" and ".join(scopes),
        source=first.source + (f" and {units.count(len(others), 'other')}" if others else ""),
        joules=sum(one.joules for one in readings),
        watts=sum(one.watts for one in readings),
    )
