"""The noise that a machine's operating system makes, from the facts of the probe ``noise``, as the replay engine injects it."""

from typing import Any

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.levels import Told

MACHINE = "machine"  # what a person writes for it


def of_machine(machine: Machine, threads: int, told: Told) -> dict[str, Any]:
    """Detours by length, each at its rate. A rank waits for every one of its threads: with so many, the rates are as many times those
    of a core. Raises UserError where the machine does not say them."""
    known = machine.values("noise", "detours")
    if not known:
        share = machine.value("noise", "share")
        told_share = f"only that it takes {share.value:.2g} of the time" if share else "nothing of it"
        raise UserError(
            f"the machine '{machine.name}' does not say noise.detours",
            f"it knows {told_share}",
            "measure it with hakaru probe noise, or give --noise periodic:10ms:100us or another",
        )
    for entry in known:
        told.fact("noise.detours", entry)
    if threads > 1:
        told.assume(f"a detour of any of {threads} threads holds up its rank, and none hide each other")
    told.assume("only computing is interrupted, not calls of MPI")
    detours = [
        {"rate_per_s": fact.value * threads, "detour_s": fact.keys["length_s"]}
        for fact in sorted(known, key=lambda fact: fact.keys["length_s"])
    ]
    return {"kind": "detours", "detours": detours}
