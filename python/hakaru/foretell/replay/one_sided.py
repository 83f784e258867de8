"""Prices of MPI's one-sided operations on a level, from facts ``access`` and ``epoch`` of the probe ``putget``.

The probe times an epoch of two ranks that put 8 B to each other, with E its time, c the call of such a put and d until it is complete;
the rest of the epoch is shared out among its calls:

    fence    = E(fence) - c - d
    post     = start = complete = wait = (E(exposure) - c - d) / 4
    lock     = unlock = (E(lock) - c - d) / 2                              lock_all and unlock_all alike

of calls right after each other, and alike of calls apart, where each begins when the one before has been done: a processor begins the next
before, which is what it hides. And of fences where one rank comes long after the other, from when that one would put.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.documents.network import Access, OneSided, Packed, Window

WINDOWS = ("allocated", "created")
FLAGGED = "allocated"  # windows whose puts raise flags
KINDS = ("put", "get", "accumulate")
EPOCHS = {
    "fence": ("fence",),
    "exposure": ("post", "start", "complete", "wait"),
    "lock": ("lock", "unlock"),
    "lock_all": ("lock_all", "unlock_all"),
    "flush": ("flush",),
}
WITHOUT_PUT = ("flush",)


def one_sided(machine: Machine, level: str) -> OneSided | None:
    """Of a level, by kind of window; None when the machine does not say it."""
    accesses, epochs, flagged = (
        machine.facts(f"network.{level}.{name}") for name in ("access", "epoch", "flagged_put")
    )
    found = {}
    for window in WINDOWS:
        prices = {kind: _prices(accesses, window, kind) for kind in KINDS}
        if window == FLAGGED:
            prices["put"] = _seen(prices["put"], flagged)
        if all(prices.values()):
            pieces = _pieces(machine, level) if window == FLAGGED else ()
            found[window] = Window(**prices, put_pieces=pieces, **_calls(epochs, window, prices["put"][0]))
    return OneSided(**found) if found else None


def _prices(accesses: Iterable[Fact], window: str, kind: str) -> tuple[Access, ...]:
    by_size: dict[int, dict[str, float]] = {}
    for entry in accesses:
        if entry.about(window=window, access=kind):
            part, size = entry.keys["part"], entry.keys["bytes"]
            value_s = max(entry.sure_value, 0.0) if part == "apart" else entry.value
            by_size.setdefault(size, {})[f"{part}_s"] = value_s
    whole = {size: parts for size, parts in by_size.items() if {"call_s", "gap_s", "done_s"} <= set(parts)}
    return tuple(Access(bytes=size, **parts) for size, parts in sorted(whole.items()))


def _pieces(machine: Machine, level: str) -> tuple[Packed, ...]:
    return tuple(
        Packed(
            piece_bytes=entry.keys["piece_bytes"],
            bytes=entry.keys["bytes"],
            s_per_byte=max(entry.value, 0.0),
        )
        for entry in machine.facts(f"network.{level}.put_pieces")
    )


def _seen(puts: Iterable[Access], flagged: Iterable[Fact]) -> tuple[Access, ...]:
    """With what a put that is waited for takes beyond its call, where both were timed at these sizes."""
    there_s = {entry.keys["bytes"]: entry.value for entry in flagged}
    return tuple(
        replace(put, seen_s=max(there_s.get(put.bytes, 0.0) - put.call_s - put.flag_s, 0.0)) for put in puts
    )


def _calls(epochs: Iterable[Fact], window: str, put: Access) -> dict[str, float]:
    times = {entry.keys["epoch"]: entry.value for entry in epochs if entry.about(window=window)}
    apart_s = put.call_s + put.apart_s + put.done_s
    put_s = {"": put.call_s + put.done_s, "_apart": apart_s, "_late": apart_s}
    calls = {}
    for epoch, names in EPOCHS.items():
        for spacing in put_s:
            if f"{epoch}{spacing}" in times:
                rest_s = times[f"{epoch}{spacing}"] - (0.0 if epoch in WITHOUT_PUT else put_s[spacing])
                calls |= {f"{name}{spacing}_s": max(rest_s, 0.0) / len(names) for name in names}
    return calls
