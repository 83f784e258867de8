"""Phases that found the caches empty: every byte came from memory, at a rate of which only the phase itself knows and which no size changes.

    c Q / p        c_0 + c Q / p        c_0 (Q / p)^k + c Q / p,  k = 1/2, 2/3

for Q bytes on p cores. The second has what begins once, the third what begins with every row of a plate or of a block: memory that is
fetched ahead is fetched anew there. What a phase computes goes with its bytes, and stays what it is.
"""

from hakaru.foretell.models.candidates import CONSTANT, Candidate, Situation, Term

FOR_EMPTY_CACHES = True
ROWS = {"1/2": 1.0 / 2.0, "2/3": 2.0 / 3.0}  # of a plate, of a block, by its points


def propose(situation: Situation) -> list[Candidate]:
    moved = situation.work_term("bytes/cores", "bytes", lambda point: point.cores)
    begun = [CONSTANT, *(_rows(moved, name, power) for name, power in ROWS.items())]
    return [
        Candidate((moved,), priced=True),
        *(Candidate((once, moved), rarity=1, priced=True) for once in begun),
    ]


def _rows(moved: Term, name: str, power: float) -> Term:
    return Term(f"({moved.name})^({name})", lambda point: moved.value(point) ** power)
