"""The reference of the known machines: their facts, each with its source."""

from collections.abc import Iterator

from hakaru.base.units import shown
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.files import known_machines
from hakaru.facts.machines.machine import Machine
from hakaru.tell.documents.markdown import code, listing, plain, table

FOLDER = "reference/machines"


def pages() -> Iterator[tuple[str, str]]:
    """A page for each machine file, and the list of all."""
    known = known_machines()
    about = "The machine files in `machines/`; `hakaru probe` writes one of your own machine."
    yield f"{FOLDER}/index.md", listing("Machines", about, known)
    for name, path in known.items():
        yield f"{FOLDER}/{name}.md", described(Machine.load(path))


def described(machine: Machine) -> str:
    """All facts of a machine."""
    rows = (_row(path, fact) for path, fact in machine.walk())
    return f"# {machine.name}\n\n{plain(machine.title)}\n\n" + table(COLUMNS, rows)


COLUMNS = ("fact", "value", "source", "note")


def _row(path: str, fact: Fact) -> tuple[str, ...]:
    keys = " ".join(f"{name}={value}" for name, value in fact.keys.items())
    text = shown(fact.value, fact.unit or "1") if isinstance(fact.value, int | float) else fact.value
    return code(f"{path} {keys}"), plain(text), plain(fact.source), plain(fact.note or "")
