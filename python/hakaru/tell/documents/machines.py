"""The reference of the known machines: their facts, each with its source."""

from collections.abc import Iterator
from typing import Any

from hakaru.base.units import shown
from hakaru.facts.machines.facts import keys_of, walk
from hakaru.facts.machines.files import known_machines, load
from hakaru.tell.documents.markdown import code, listing, plain, table

FOLDER = "reference/machines"


def pages() -> Iterator[tuple[str, str]]:
    """A page for each machine file, and the list of all."""
    known = known_machines()
    about = "The machine files in `machines/`; `hakaru probe` writes one of your own machine."
    yield f"{FOLDER}/index.md", listing("Machines", about, known)
    for name, path in known.items():
        yield f"{FOLDER}/{name}.md", described(load(path))


def described(machine: dict[str, Any]) -> str:
    """All facts of a machine."""
    about = f"{plain(machine.get('description', ''))} ({machine['kind']}, {machine['date']})"
    rows = [(path, entry) for path, entry in walk(machine)]
    return f"# {machine['name']}\n\n{about}\n\n" + table(COLUMNS, (_row(*row) for row in rows))


COLUMNS = ("fact", "value", "source", "note")


def _row(path: str, entry: dict[str, Any]) -> tuple[str, ...]:
    keys = " ".join(f"{name}={value}" for name, value in keys_of(entry).items())
    value, unit = entry["value"], entry.get("unit", "1")
    text = shown(value, unit) if isinstance(value, int | float) else value
    return code(f"{path} {keys}"), plain(text), plain(entry["source"]), plain(entry.get("note", ""))
