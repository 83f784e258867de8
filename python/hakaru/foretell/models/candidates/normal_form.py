"""Performance-model normal form (Calotoiu et al., SC 2013): c0 + c1 * N^i * log2(N)^j [* p^k * log2(p)^l].

Exponents are multiples of one half up to 4 with at most one logarithm; p counts ranks, and q threads, when
layouts vary.
"""

import math

from hakaru.foretell.models.candidates import CONSTANT, Candidate, Situation, Term
from hakaru.foretell.models.observations import Point

SIZE_EXPONENTS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
LOGARITHM_EXPONENTS = (0, 1)
CORE_FACTORS = (("", 0.0, 0), ("/cores", -1.0, 0), ("/sqrt(cores)", -0.5, 0), (" * log2(cores)", 0.0, 1))


def size_term(size_exponent: float, logarithm_exponent: int) -> Term:
    """N^i * log2(N)^j as a term."""
    names = []
    if size_exponent:
        names.append("N" if size_exponent == 1.0 else f"N^{size_exponent:g}")
    if logarithm_exponent:
        names.append("log2(N)" if logarithm_exponent == 1 else f"log2(N)^{logarithm_exponent}")

    def value(point: Point) -> float:
        return point.size**size_exponent * math.log2(max(point.size, 1.0)) ** logarithm_exponent

    return Term(" * ".join(names), value)


def _with_cores(term: Term, suffix: str, exponent: float, logarithm: int) -> Term:
    if not suffix:
        return term

    def value(point: Point) -> float:
        return (
            term.value(point)
            * point.cores**exponent
            * (math.log2(point.cores) ** logarithm if logarithm else 1.0)
        )

    return Term(
        (term.name + suffix).removeprefix(" * ") if term.name or suffix[0] != "/" else "1" + suffix, value
    )


def propose(situation: Situation) -> list[Candidate]:
    shapes = [(i, j) for i in SIZE_EXPONENTS for j in LOGARITHM_EXPONENTS if i or j]
    factors = CORE_FACTORS if situation.layouts_vary else CORE_FACTORS[:1]
    forms = [(shape, factor) for factor in factors for shape in shapes]
    forms += [((0.0, 0), factor) for factor in factors[1:]]
    found = []
    for shape, factor in forms:
        term, seldom = _with_cores(size_term(*shape), *factor), rarity(*shape, factor[1])
        found += [Candidate((term,), seldom), Candidate((CONSTANT, term), seldom)]
    return found


def rarity(size_exponent: float, logarithm_exponent: int, core_exponent: float = 0.0) -> int:
    """Whole powers are loops over grids and matrices; each power beyond the first, each logarithm and each broken power makes a form rarer."""
    broken = (size_exponent != int(size_exponent)) + (core_exponent != int(core_exponent))
    return max(int(size_exponent), 1) + int(logarithm_exponent > 0) + broken
