"""Tables of layouts by orders of loops: the published ones, and ours by compiler, set of options and attribute."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.studies.study import Study

from .rules import Table
from .settings import Settings
from .variants import BEST, Times, Variant

POINTER, ALLOCATABLE = "pointer", "allocatable"
OTHER_ATTRIBUTE = {"pc_alloc": "pc", "fx1_tuned_alloc": "fx1_tuned"}
BESIDE = {POINTER: "pc", ALLOCATABLE: "pc_alloc"}  # the published column that stands beside ours


@dataclass(frozen=True)
class Column:
    """``rounds``: a table for each. ``pointer``: the same with pointers, where this is of allocatables. ``beside``: its published column, or nothing."""

    name: str
    rounds: Sequence[Table]
    pointer: Sequence[Table] = ()
    beside: str = ""


def published(study: Study[Settings]) -> dict[str, Column]:
    """By system, one round each."""
    table = study.published.table("times")
    tables = {
        system: {(row["layout"], row["kernel"]): float(row[system]) for row in table.rows}
        for system in table.unit
    }
    return {
        name: Column(name, [one], [tables[OTHER_ATTRIBUTE[name]]] if name in OTHER_ATTRIBUTE else [])
        for name, one in tables.items()
    }


def ours(times: Times, options: str) -> list[Column]:
    """One for each compiler, and attribute where it is Fortran."""
    columns = []
    here = {one: values for one, values in times.seconds.items() if one.options.name == options}
    here = {one: values for one, values in here.items() if one.layout != BEST}
    for compiler in dict.fromkeys(one.compiler for one in here):
        own = {one: values for one, values in here.items() if one.compiler == compiler}
        attributes = [name for name in dict.fromkeys(one.attribute for one in own) if name]
        tables = {name: _rounds(own, name) for name in attributes or [""]}
        for name, rounds in tables.items():
            pointer = tables.get(POINTER, ()) if name == ALLOCATABLE else ()
            title = f"{compiler.name}, {name}" if name else compiler.name
            columns.append(Column(title, rounds, pointer, BESIDE.get(name, "")))
    return columns


def _rounds(own: dict[Variant, list[float]], attribute: str) -> list[Table]:
    """Those of the attribute, and those that need none."""
    chosen = {one: values for one, values in own.items() if one.attribute in ("", attribute)}
    count = min(len(values) for values in chosen.values())
    return [
        {(one.layout, one.kernel): values[number] for one, values in chosen.items()}
        for number in range(count)
    ]
