"""The facts that a replay rests on, in words."""

from collections.abc import Iterable

from hakaru.base import units
from hakaru.foretell.replay.documents.answer import Basis


def fact_line(fact: Basis) -> str:
    value = fact.value if isinstance(fact.value, str) else units.shown(fact.value, fact.unit)
    about = " ".join(
        f"{key}={value:g}" if isinstance(value, int | float) else f"{key}={value}"
        for key, value in fact.about.items()
    )
    source = f"{fact.source}: {fact.note}" if fact.note else fact.source
    return f"{fact.fact}{' ' + about if about else ''} = {value} ({source})"


def fact_lines(facts: Iterable[Basis]) -> list[str]:
    """A line for each fact; those of one path and source that differ by size only are one line."""
    groups: dict[tuple[str, str | None], list[Basis]] = {}
    for fact in facts:
        groups.setdefault((fact.fact, fact.source), []).append(fact)
    lines = []
    for (path, source), members in groups.items():
        if len(members) <= 2:
            lines += [fact_line(fact) for fact in members]
            continue
        values = sorted(fact.value for fact in members)
        ends = " to ".join(units.shown(value, members[0].unit) for value in (values[0], values[-1]))
        lines.append(f"{path}, {len(members)} values, {ends} ({source})")
    return lines
