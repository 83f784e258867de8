"""Speeds of a machine and compiler, published or ours, in one form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hakaru.studies.study import Study

from .settings import Settings
from .variants import AUTOMATIC, COPIES, DOUBLE, INNER, OPENMP, OUTER, SCALAR, Speeds

Table = Mapping[tuple[str, str], float]  # flop/s by mode and size
MACHINES = {"qx6700": "QX6700", "e5462-x2": "E5462 x2", "core-i7-940": "Core i7 940"}
COMPILERS = ("fujitsu", "intel", "gnu")
MODES = {"scalar": SCALAR, "auto_parallel": AUTOMATIC, "openmp": OPENMP, "mpi": INNER}
DIVIDED = {"openmp": OPENMP, "mpi_outer_loop": OUTER, "mpi_inner_loop": INNER}
OLDER = {
    "m9000": "M9000",
    "hpc2500": "HPC2500",
    "hx600": "HX600",
    "primergy_fujitsu": "RX200 S3, Fujitsu",
    "primergy_intel": "RX200 S3, Intel",
    "primergy_pgi": "RX200 S3, PGI",
    "primergy_pathscale": "RX200 S3, PathScale",
    "ipf_intel": "IPF, Intel",
}
COPIED = 4  # copies at once, as published
MFLOPS = 1e6


@dataclass(frozen=True)
class Column:
    """``rounds`` of a machine with so many ``cores``; a published one has one."""

    name: str
    cores: int
    rounds: Sequence[Table]

    @property
    def sizes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(size for _, size in self.rounds[0]))

    @property
    def middle(self) -> dict[tuple[str, str], float]:
        from statistics import median

        return {case: median(one[case] for one in self.rounds) for case in self.rounds[0]}


def published(study: Study[Settings]) -> list[Column]:
    return [*_quadcores(study), _divided(study), *_older(study)]


def _quadcores(study: Study[Settings]) -> list[Column]:
    found = []
    for table, machine in MACHINES.items():
        rows = study.published.table(table).rows
        for compiler in COMPILERS:
            speeds = {
                (MODES[row["mode"]], row["size"]): MFLOPS * row[compiler] for row in rows if compiler in row
            }
            found.append(Column(f"{machine}, {compiler}", max(row["cores"] for row in rows), [speeds]))
    return found


def _divided(study: Study[Settings]) -> Column:
    """E5462 x2 with all cores: the outermost loop divided, and the innermost."""
    rows = study.published.table("e5462-cores").rows
    most = max(row["cores"] for row in rows)
    speeds = {
        (DIVIDED[row["mode"]], size.upper()): MFLOPS * row[size]
        for row in rows
        if row["cores"] == most and row["mode"] in DIVIDED
        for size in ("xs", "s", "m", "l")
    }
    return Column("E5462 x2, divided", most, [speeds])


def _older(study: Study[Settings]) -> list[Column]:
    """Chapter 8 of section 2.2.1: one core, single and double precision, and copies at once beside one of the same table."""
    sizes = study.published.table("single-core-sp").rows
    double = study.published.table("single-core-dp").rows[0]
    copies = study.published.table("multiplicity").rows
    many = next(row for row in copies if row["precision"] == "single" and row["copies"] == COPIED)
    found = []
    for key, name in OLDER.items():
        speeds = {(SCALAR, row["size"]): MFLOPS * row[key] for row in sizes if key in row}
        speeds |= {(DOUBLE, "M"): MFLOPS * double[key]} if key in double else {}
        speeds |= {(COPIES, "M"): MFLOPS * many[key]} if key in many else {}
        found.append(Column(name, COPIED, [speeds]))
    return found


def ours(speeds: Speeds, cores: int) -> list[Column]:
    """By the last part of a name, rounds that all programs of a column took part in."""
    cases: dict[str, dict[tuple[str, str], list[float]]] = {}
    for name, values in speeds.items():
        mode, size, column = name.split("/", 2)
        cases.setdefault(column, {})[mode, size] = values
    return [
        Column(
            name,
            cores,
            [dict(zip(own, values, strict=True)) for values in zip(*own.values(), strict=True)],
        )
        for name, own in cases.items()
    ]
