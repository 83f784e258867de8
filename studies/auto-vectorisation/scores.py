"""What compilers claim, held against what it gains."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hakaru.base.ratios import ratio_interval
from hakaru.base.statistics import Interval
from hakaru.studies.conclusions import LITTLE, MORE

from .reports import Claim
from .variants import Variant


@dataclass(frozen=True)
class Score:
    """A loop with one compiler and set: what is claimed, and the speed-up by vectors where it was timed."""

    variant: Variant
    claim: Claim
    speed_up: Interval | None = None

    @property
    def claimed(self) -> bool:
        return self.claim.bytes > 0

    @property
    def gains(self) -> bool:
        """The whole interval is beyond a gain that counts."""
        return self.speed_up is not None and self.speed_up.low > LITTLE

    @property
    def idle(self) -> bool:
        """Claimed, and the whole interval is below what can be told from nothing."""
        return self.claimed and self.speed_up is not None and self.speed_up.high < MORE


def scores(claims: Mapping[Variant, Claim], seconds: Mapping[Variant, list[float]]) -> list[Score]:
    """In the order of the claims."""
    result = []
    for variant, claim in claims.items():
        without = replace(variant, vectors=False)
        speed_up = None
        if variant in seconds and without in seconds:
            speed_up = ratio_interval(seconds[variant], seconds[without])
        result.append(Score(variant, claim, speed_up))
    return result


def refused(found: list[Score]) -> dict[str, list[str]]:
    """Loops by column that this one refuses, and that gain in vectors with another of the same set: with the other's name and gain."""
    told: dict[str, list[str]] = {}
    for one in found:
        if one.claimed:
            continue
        others = [
            other
            for other in found
            if other.variant.case == one.variant.case
            and other.variant.options == one.variant.options
            and other.claimed
            and other.gains
        ]
        if others:
            best = max(others, key=lambda other: other.speed_up.low if other.speed_up else 0.0)
            gain = best.speed_up.value if best.speed_up else 0.0
            told.setdefault(one.variant.column, []).append(
                f"{one.variant.case} ({gain:.1f} with {best.variant.compiler.name})"
            )
    return told
