"""Probing until the facts agree with each other: what was disturbed is measured again, and what stays contradictory is refused."""

from collections.abc import Callable, Iterable

from hakaru.facts.machines.consistency import Contradiction
from hakaru.facts.machines.from_probes import distil_checked
from hakaru.facts.machines.machine import Machine
from hakaru.facts.records import Record

ATTEMPTS = 3  # of a probe; disturbances that outlast three probings are the machine's ordinary state


def settle(
    records: dict[str, Record],
    again: Callable[[list[str], int], Iterable[Record]],
    name: str,
    say: Callable[[str], None],
) -> tuple[Machine, list[Contradiction]]:
    """The machine of these records (by program), and what had to be refused.

    ``again(probes, attempt)`` measures these programs once more, or those of them that it may; their new records take the place of
    the old ones.
    """
    records = dict(records)
    for attempt in range(2, ATTEMPTS + 1):
        machine, refused = distil_checked(list(records.values()), name)
        probes = sorted({probe for one in refused for probe in one.probes})
        if not probes:
            return machine, refused
        for one in refused:
            say(f"disturbed: {one}")
        fresh = {record.program: record for record in again(probes, attempt)}
        if not fresh:
            return machine, refused
        records |= fresh
    return distil_checked(list(records.values()), name)


def refusal(refused: Iterable[Contradiction]) -> str:
    """What a person is told of facts that are not written."""
    return "; ".join(f"disturbed: {one}" for one in refused)
