"""The energy that a forecast run takes: measured power or published facts, times the forecast time; or why nobody can say it. J and W."""

from typing import Literal

from msgspec import UNSET, UnsetType

from hakaru.base import units
from hakaru.facts.strict import Strict
from hakaru.facts.values import Seconds, Words


class Amount(Strict):
    """An energy in J or a power in W, with its interval."""

    value: Seconds
    low: Seconds
    high: Seconds

    def text(self, unit: str) -> str:
        """``512 J (480 to 550 J)``."""
        if self.low == self.high:
            return units.quantity(self.value, unit)
        value, low, high = (units.quantity(one, unit) for one in (self.value, self.low, self.high))
        return f"{value} ({low} to {high})"


class EnergyForecast(Strict, omit_defaults=True):
    """Of one repetition. ``kind``: whether meters of runs say the power, or facts of the machine file. ``scope``: what the energy covers.
    ``unavailable``: why there is none; then there is nothing else."""

    joules: Amount | UnsetType = UNSET
    watts: Amount | UnsetType = UNSET
    kind: Literal["measured", "estimate"] | UnsetType = UNSET
    scope: Words | UnsetType = UNSET
    source: str = ""
    unavailable: str = ""

    @property
    def known(self) -> bool:
        return self.joules is not UNSET

    @property
    def words(self) -> str:
        if not self.known:
            return f"energy: not available ({self.unavailable})"
        marked = "by meters" if self.kind == "measured" else "an estimate"
        return f"energy: {self.joules.text('J')} of the {self.scope}, {marked}: {self.watts.text('W')} by {self.source}"


def nothing(why: str) -> EnergyForecast:
    return EnergyForecast(unavailable=why)
