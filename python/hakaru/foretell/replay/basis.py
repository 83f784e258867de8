"""The facts that a replay rests on, in words."""

from typing import Any

from hakaru.base import units


def fact_line(fact: dict[str, Any]) -> str:
    value = fact["value"] if isinstance(fact["value"], str) else units.shown(fact["value"], fact["unit"])
    keys = {key: fact[key] for key in fact if key not in ("fact", "value", "unit", "source", "note")}
    about = " ".join(
        f"{key}={value:g}" if isinstance(value, int | float) else f"{key}={value}"
        for key, value in keys.items()
    )
    return f"{fact['fact']}{' ' + about if about else ''} = {value} ({fact['source']}{': ' + fact['note'] if fact.get('note') else ''})"


def fact_lines(facts: list[dict[str, Any]]) -> list[str]:
    """A line for each fact; those of one path and source that differ by size only are one line."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for fact in facts:
        groups.setdefault((fact["fact"], fact["source"]), []).append(fact)
    lines = []
    for (path, source), members in groups.items():
        if len(members) <= 2:
            lines += [fact_line(fact) for fact in members]
            continue
        values = sorted(fact["value"] for fact in members)
        ends = " to ".join(units.shown(value, members[0]["unit"]) for value in (values[0], values[-1]))
        lines.append(f"{path}, {len(members)} values, {ends} ({source})")
    return lines
