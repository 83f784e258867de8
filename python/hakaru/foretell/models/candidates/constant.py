"""Time that does not depend on the problem or the layout: c0."""

from hakaru.foretell.models.candidates import CONSTANT, Candidate, Situation


def propose(situation: Situation) -> list[Candidate]:
    return [Candidate((CONSTANT,))]
