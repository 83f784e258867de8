"""Computation from the program's own counts: floating-point operations per core, bytes per core, bytes
over shared bandwidth."""

from hakaru.foretell.models.candidates import CONSTANT, Candidate, Situation

PREFERRED = True


def propose(situation: Situation) -> list[Candidate]:
    flops = situation.work_term("flops/cores", "flops", lambda point: point.cores)
    private = situation.work_term("bytes/cores", "bytes", lambda point: point.cores)
    shared = situation.work_term("bytes", "bytes", lambda point: 1.0)
    bases = [(flops,), (private,), (flops, private)]
    if situation.layouts_vary:
        bases += [(shared,), (flops, shared), (private, shared)]
    return [
        Candidate(terms)
        for base in bases
        for terms in (base, (CONSTANT, *base))
        if len(terms) <= 2 or len(base) == 2
    ]
