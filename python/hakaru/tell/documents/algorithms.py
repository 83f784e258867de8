"""The reference of collectives: the algorithms that replays expand, and what MPI libraries call them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from hakaru.facts.algorithms import Algorithm, algorithms
from hakaru.tell.documents.markdown import code, plain, section, table

PLACE = "reference/collectives.md"
COLUMNS = ("algorithm", "what it does", "Open MPI 4.1", "MPICH 4")
ABOUT = """# Algorithms of collectives

Replays expand collectives by these algorithms ([how](../explanation/replay.md)), and
`--set collectives.NAME.algorithm=...` chooses one.
The last columns are the values of Open MPI's `coll_tuned_NAME_algorithm` and of MPICH's
`MPIR_CVAR_NAME_INTRA_ALGORITHM` that [tune](../how-to/tune.md) tries.
"""


def pages() -> Iterator[tuple[str, str]]:
    yield PLACE, described(algorithms())


def described(rows: Sequence[Algorithm]) -> str:
    """A section for each collective."""
    by_collective = groupby(rows, key=lambda one: one.collective)
    return ABOUT + "".join(section(name, table(COLUMNS, map(_row, own))) for name, own in by_collective)


def _row(one: Algorithm) -> tuple[str, ...]:
    numbers = ", ".join(
        f"{setting.number}" + (f" ({plain(setting.name)})" if setting.name != one.name else "")
        for setting in one.openmpi
    )
    return code(one.name), plain(one.about), numbers, code(one.mpich or "")
