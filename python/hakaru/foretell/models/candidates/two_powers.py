"""Work of two kinds that grow as neighbouring powers, such as a surface and a volume: c0 * N^i + c1 *
N^(i+1)."""

from hakaru.foretell.models.candidates import Candidate, Situation
from hakaru.foretell.models.candidates.normal_form import size_term

LOWER_EXPONENTS = (1.0, 2.0, 3.0)


def propose(situation: Situation) -> list[Candidate]:
    return [
        Candidate((size_term(lower, 0), size_term(lower + 1.0, 0)), rarity=int(lower) + 1)
        for lower in LOWER_EXPONENTS
    ]
