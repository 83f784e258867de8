"""One phase at the wanted point: which models its times carry, and what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hakaru.foretell.models import fit, interval
from hakaru.foretell.models.candidates import Situation, propose

NOTHING_S = 1e-15  # what a phase is said to take that takes nothing
TOLD = 0.02  # held-out error below which a law is what the data say
LESS = 0.2  # of what a constant errs
_MIDDLE = np.array([0.5])


@dataclass(frozen=True)
class Fitted:
    """Models of one phase; ``parts`` is None when no run spent time in it."""

    data: fit.Series
    scored: Sequence[fit.Scored]
    chosen: int
    reason: str
    parts: interval.Components | None

    @property
    def departure(self) -> int:
        """Index of the departure (roughness, bend) with the largest weight for the chosen candidate."""
        return int(self.parts.log_weight[:, self.chosen].argmax())

    @cached_property
    def value_s(self) -> float:
        """Of the chosen law where the data tell it well, else the median of what all candidates say together."""
        if not self.parts:
            return 0.0
        told = self.is_told
        chosen_s = self.parts.centre_s[self.departure, self.chosen]
        value_s = float(chosen_s if told else self.parts.mixture().quantiles(_MIDDLE)[0])
        return value_s if value_s > NOTHING_S else 0.0

    @property
    def is_told(self) -> bool:
        """Whether the data tell the chosen law: it foretells what is held out, and a constant does not."""
        error = max(self.scored[self.chosen].cross_validation_error, float(self.data.rounding.max()))
        return error < TOLD and error < LESS * float(np.std(self.data.time_s) / np.mean(self.data.time_s))

    def model_s(self) -> np.ndarray:
        """Times (K,) of the chosen model at the measured points."""
        candidate = self.scored[self.chosen].candidate
        coefficients = self.parts.coefficients[self.chosen][self.departure]
        return fit.design(candidate, self.data.points) @ coefficients

    def only(self, priced: bool) -> "Fitted":
        """By candidates of one kind alone; the same where there is none of it."""
        members = [index for index, one in enumerate(self.scored) if one.candidate.priced == priced]
        if not members or len(members) == len(self.scored):
            return self
        scored = [self.scored[index] for index in members]
        chosen, reason = fit.choose(scored)
        return Fitted(self.data, scored, scored.index(chosen), reason, self.parts.only(np.array(members)))

    @property
    def priced(self) -> bool:
        return any(one.candidate.priced for one in self.scored)


def fitted(data: fit.Series, situation: Situation) -> Fitted:
    if not data.time_s.any():
        return Fitted(data, (), 0, "no time was spent here in any run", None)
    scored = fit.score(propose(situation), data, situation.target)
    chosen, reason = fit.choose(scored)
    return Fitted(
        data, scored, scored.index(chosen), reason, interval.components(scored, data, situation.target)
    )
