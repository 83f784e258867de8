"""Published results of known programs on machines of today, each beside what hakaru says from facts that were published apart from it."""

from collections.abc import Iterable
from statistics import median

from hakaru.base import units
from hakaru.studies.analyses import Context
from hakaru.studies.evidence import PREDICTION, distance
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.study import Study

from . import carrying, replayed
from .settings import Settings

__all__ = ["Settings", "run"]

GROUPS = ("collectives", "messages", "spechpc", "lulesh", "opensbli", "linpack", "stream")
APPLICATIONS = GROUPS[2:]


def run(study: Study[Settings], context: Context) -> Result:
    result, assumed = Result(basis=study.basis), []
    result.add(replayed.rows(study, context, assumed))
    result.add(carrying.rows(study))
    result.sections = [by_kind(result.rows), *(told(result, group) for group in GROUPS)]
    result.summary = summary(study, result.rows)
    result.assumptions = [*study.settings.assumptions, *dict.fromkeys(assumed)]
    return result


def tested(rows: Iterable[Row], prefix: str = "") -> list[Row]:
    return [row for row in rows if row.kind == PREDICTION and row.id.startswith(prefix)]


def quantile(errors: list[float], share: float) -> float:
    """The smallest error that so many are within."""
    ordered = sorted(errors)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def by_kind(rows: Iterable[Row]) -> Section:
    """Misses first: the kinds by their median error, the worst one first."""
    kinds = {}
    for row in tested(rows):
        group, table = row.id.split("/")[:2]
        kinds.setdefault(f"{group}/{table}" if group in GROUPS[:3] else group, []).append(row)
    lines = []
    for name, own in sorted(kinds.items(), key=lambda item: -median(map(distance, item[1]))):
        errors = [distance(row) for row in own]
        worst = max(own, key=distance)
        bias = median(row.error for row in own)
        lines.append(
            [
                name,
                str(len(own)),
                percent(median(errors)),
                percent(quantile(errors, 0.9)),
                f"{bias:+.0%}",
                worst.id.removeprefix(f"{name}/"),
                f"{worst.error:+.0%}",
            ]
        )
    columns = ["kind", "results", "median error", "90 % within", "bias", "worst", "its error"]
    return Section(
        "Errors by kind, the worst kind first",
        ["(ours - published) / published; bias is the median with its sign."],
        [],
        columns,
        lines,
    )


def told(result: Result, group: str) -> Section:
    own = sorted(result.of(f"{group}/"), key=distance, reverse=True)
    lines = [[row.id, shown(row, row.published), shown(row, row.ours), error(row), row.kind] for row in own]
    return Section(group, ["The worst first."], [], ["result", "published", "ours", "error", "kind"], lines)


def shown(row: Row, value: float | None) -> str:
    return units.seconds(value) if row.unit == "s" and value is not None else number(value)


def percent(value: float) -> str:
    return f"{100.0 * value:.0f} %"


def summary(study: Study[Settings], rows: list[Row]) -> list[str]:
    known = tuple(f"collectives/{one.table}/" for one in study.settings.collectives if not one.foreign)
    lines = [
        _line("collectives", tested(rows, "collectives/")),
        _line(
            "of them by the transport whose messages are known",
            [r for r in tested(rows) if r.id.startswith(known)],
        ),
        _line("applications", [row for row in tested(rows) if row.id.split("/")[0] in APPLICATIONS]),
    ]
    left = "; ".join(f"{what}: {why}" for what, why in study.settings.left_out.items())
    return [*lines, f"Not forecast: {left}."]


def _line(name: str, own: list[Row]) -> str:
    errors = [distance(row) for row in own]
    return (
        f"{name}: {len(own)} published results, median error {percent(median(errors))}, "
        f"90 % within {percent(quantile(errors, 0.9))}, worst {percent(max(errors))}."
    )
