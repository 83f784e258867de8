"""The noise that the replay engine injects: as a person writes it, or what a machine's operating system makes by the probe ``noise``."""

import re
from pathlib import Path

import msgspec

from hakaru.base import quantities
from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents.options import Detours, Noise
from hakaru.foretell.replay.levels import Told

MACHINE = "machine"  # what a person writes for it
TOGETHER = "together"
CALLS = "calls"
COME_WITH_TIME = ("detours", "periodic")  # and may strike calls
DEFAULT_SEED = 20261121


def asks_machine(asked: str | None) -> bool:
    return asked in (MACHINE, f"{MACHINE}:{CALLS}")


def of_machine(machine: Machine, threads: int, told: Told, calls: bool = False) -> Noise:
    """Detours by length, each at its rate; ``calls``: they strike calls of MPI, too. A rank waits for every one of its threads: with so many,
    the rates are as many times those of a core. Raises UserError where the machine does not say them."""
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
    if calls:
        told.assume("calls of MPI and waits are interrupted as often as computing")
    else:
        told.assume("only computing is interrupted, not calls of MPI")
    detours = (
        Detours(rate_per_s=fact.value * threads, detour_s=fact.keys["length_s"])
        for fact in sorted(known, key=lambda fact: fact.keys["length_s"])
    )
    return Noise(kind="detours", detours=tuple(detours), calls=calls)


def noise(
    asked: str | None, mean_s: float | None, seed: int | None, of_machine: Noise | None = None
) -> Noise | None:
    """``machine`` (``of_machine``), ``2us`` (exponential, mean for each computation), ``exponential:2us``, ``gaussian:5%``,
    ``periodic:10ms:100us`` (a detour of the second every first, at a phase of each rank's own; with ``:together`` at one for all), or a file of measured
    detours in s, one a line. ``:calls`` after what comes with time: calls of MPI are struck, too. ``mean_s`` overrides the mean of the
    second. Raises UserError.
    """
    if asked is None and mean_s is None:
        return None
    found = of_machine or (_written(asked) if asked else Noise(kind="exponential"))
    if mean_s is not None:
        if found.kind != "exponential":
            raise UserError(
                "noise.mean cannot be set",
                f"the noise asked for is {found.kind}",
                "leave one of the two away",
            )
        found = msgspec.structs.replace(found, mean_s=mean_s)
    return msgspec.structs.replace(found, seed=DEFAULT_SEED if seed is None else seed)


def _written(text: str) -> Noise:
    kept = text.removesuffix(f":{CALLS}")
    found = _quiet_calls(kept)
    if kept == text:
        return found
    if found.kind not in COME_WITH_TIME:
        raise UserError(
            f"the noise '{kept}' does not strike calls",
            f"{found.kind} noise comes with operations, and not with time",
            f"leave :{CALLS} away, or write machine:{CALLS} or periodic:10ms:100us:{CALLS}",
        )
    return msgspec.structs.replace(found, calls=True)


def _quiet_calls(text: str) -> Noise:
    kind, *parts = text.split(":")
    try:
        if kind == "gaussian" and len(parts) == 1:
            return Noise(kind=kind, relative_deviation=_amount(parts[0], "1"))
        if kind == "periodic" and (len(parts) == 2 or parts[2:] == [TOGETHER]):
            period_s, detour_s = (_amount(part, "s") for part in parts[:2])
            return Noise(kind=kind, period_s=period_s, detour_s=detour_s, together=parts[2:] == [TOGETHER])
        if kind == "exponential" and len(parts) == 1:
            return Noise(kind=kind, mean_s=_amount(parts[0], "s"))
        if Path(text).is_file():
            return Noise(kind="empirical", samples_s=_samples(Path(text)))
        return Noise(kind="exponential", mean_s=_amount(text, "s"))
    except ValueError as error:
        raise UserError(
            f"the noise '{text}' is not understood",
            str(error),
            "write machine, machine:calls, 2us, gaussian:5%, periodic:10ms:100us (with :together, :calls or both after it), "
            "or name a file of detours in s",
        ) from None


def _amount(text: str, unit: str) -> float:
    value = quantities.parse(text, unit)
    if value < 0:
        raise ValueError(f"'{text}' is negative")
    return value


def _samples(path: Path) -> tuple[float, ...]:
    words = re.split(r"[\s,]+", path.read_text().strip())
    samples = tuple(_amount(word, "s") for word in words if word)
    if not samples:
        raise ValueError(f"{path} holds no detours")
    return samples
