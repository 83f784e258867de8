"""Communication from the program's own counts: messages and bytes per rank (latency and bandwidth), shared
wires, calls."""

from hakaru.foretell.models.candidates import CONSTANT, Candidate, Situation

PREFERRED = True


def propose(situation: Situation) -> list[Candidate]:
    messages = situation.work_term("messages/ranks", "messages", lambda point: point.ranks)
    volume = situation.work_term("message_bytes/ranks", "message_bytes", lambda point: point.ranks)
    shared = situation.work_term("message_bytes", "message_bytes", lambda point: 1.0)
    calls = situation.work_term("calls", "calls", lambda point: 1.0)
    bases = [(messages,), (volume,), (messages, volume), (calls,), (calls, volume)]
    if situation.layouts_vary:
        bases += [(shared,), (messages, shared)]
    return [Candidate(terms) for base in bases for terms in (base, (CONSTANT, *base)) if len(terms) <= 2]
