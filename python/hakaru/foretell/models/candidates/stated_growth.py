"""The growth law the user stated: c * g(N), as in the published rule 11 s * (N/36)^4; shared over cores
when layouts vary."""

from hakaru.foretell.models.candidates import Candidate, Situation, Term

FOLLOWS_STATED_GROWTH = True


def propose(situation: Situation) -> list[Candidate]:
    growth = situation.growth
    if growth is None:
        return []
    term = Term(str(growth), lambda point: growth(point.size))
    shared = Term(f"{growth}/cores", lambda point: growth(point.size) / point.cores)
    return [Candidate((term,)), Candidate((shared,))] if situation.layouts_vary else [Candidate((term,))]
