"""What ``hakaru machines`` prints: the list, one machine, two compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.base.units import shown
from hakaru.facts.machines import Machine
from hakaru.facts.machines.compare import compare
from hakaru.facts.machines.show import print_machine

DIFFERS = {True: "yes", False: "within the intervals", None: ""}


@dataclass(frozen=True)
class Listed:
    """``problem``: why a file is no machine."""

    name: str
    kind: str | None
    description: str
    facts: int
    valid: bool
    problem: str | None

    @classmethod
    def of(cls, name: str, path: Path) -> "Listed":
        try:
            machine = Machine.load(path)
        except UserError as error:
            return cls(name, None, "", 0, False, str(error))
        return cls(name, machine.kind, machine.description, sum(1 for _ in machine.walk()), True, None)


def listing(files: Mapping[str, Path], as_json: bool) -> bool:
    """Whether all are valid."""
    found = [Listed.of(name, path) for name, path in files.items()]
    if as_json:
        print_json([asdict(one) for one in found])
    elif not found:
        print("no machine is known yet; measure this one with: hakaru probe")
    else:
        rows = [
            [one.name, one.kind or "INVALID", str(one.facts), one.problem or one.description] for one in found
        ]
        print_table("Machines", ["name", "kind", "facts", "description"], rows)
    return all(one.valid for one in found)


def one_machine(path: Path, as_json: bool) -> None:
    machine = Machine.load(path)
    if as_json:
        print_json(machine.tree)
    else:
        print_machine(machine)


def compared(first: Path, second: Path, as_json: bool) -> None:
    one, two = Machine.load(first), Machine.load(second)
    rows = compare(one, two)
    if as_json:
        print_json({"first": one.name, "second": two.name, "rows": [asdict(row) for row in rows]})
        return
    cells = [
        [
            row.fact,
            " ".join(f"{name}={value}" for name, value in row.keys.items()),
            shown(row.first, row.unit),
            shown(row.second, row.unit),
            f"{row.ratio:.3f}" if row.ratio is not None else "",
            DIFFERS[row.differs],
        ]
        for row in rows
    ]
    columns = ["fact", "about", one.name, two.name, "ratio", "differs"]
    print_table(f"{one.name} against {two.name}", columns, cells)
