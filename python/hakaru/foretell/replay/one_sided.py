"""Prices of MPI's one-sided operations on a level, from facts ``access`` and ``epoch`` of the probe ``putget``.

The probe times an epoch of two ranks that put 8 B to each other, with E its time, c the call of such a put and d until it is complete;
the rest of the epoch is shared out among its calls:

    fence    = E(fence) - c - d                                            fence_apart alike
    post     = start = complete = wait = (E(exposure) - c - d) / 4
    lock     = unlock = (E(lock) - c - d) / 2                              lock_all and unlock_all alike
"""

from collections.abc import Iterable

from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.documents.network import Access, OneSided, Window

WINDOWS = ("allocated", "created")
KINDS = ("put", "get", "accumulate")
EPOCHS = {
    "fence": ("fence_s",),
    "fence_apart": ("fence_apart_s",),
    "exposure": ("post_s", "start_s", "complete_s", "wait_s"),
    "lock": ("lock_s", "unlock_s"),
    "lock_all": ("lock_all_s", "unlock_all_s"),
}


def one_sided(machine: Machine, level: str) -> OneSided | None:
    """Of a level, by kind of window; None when the machine does not say it."""
    accesses, epochs = (machine.facts(f"network.{level}.{name}") for name in ("access", "epoch"))
    found = {}
    for window in WINDOWS:
        prices = {kind: _prices(accesses, window, kind) for kind in KINDS}
        if all(prices.values()):
            first = prices["put"][0]
            found[window] = Window(**prices, **_calls(epochs, window, first.call_s + first.done_s))
    return OneSided(**found) if found else None


def _prices(accesses: Iterable[Fact], window: str, kind: str) -> tuple[Access, ...]:
    by_size: dict[int, dict[str, float]] = {}
    for entry in accesses:
        if entry.about(window=window, access=kind):
            by_size.setdefault(entry.keys["bytes"], {})[f"{entry.keys['part']}_s"] = entry.value
    whole = {size: parts for size, parts in by_size.items() if {"call_s", "gap_s", "done_s"} <= set(parts)}
    return tuple(Access(bytes=size, **parts) for size, parts in sorted(whole.items()))


def _calls(epochs: Iterable[Fact], window: str, put_s: float) -> dict[str, float]:
    times = {entry.keys["epoch"]: entry.value for entry in epochs if entry.about(window=window)}
    calls = {"flush_s": times.get("flush", 0.0)}
    times = {"fence_apart": times.get("fence", 0.0)} | times  # probes before 2026-11-29 do not say it
    for epoch, names in EPOCHS.items():
        rest_s = max(times.get(epoch, 0.0) - put_s, 0.0)
        calls |= {name: rest_s / len(names) for name in names}
    return calls
