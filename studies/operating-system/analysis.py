"""LMbench's summary: the published listing beside the same items measured here, in its order."""

from collections import defaultdict

from hakaru.base import units
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import number
from hakaru.studies.study import Study

from .settings import Settings

__all__ = ["Settings", "run"]

SCALES = {"us": (1e-6, "s"), "ns": (1e-9, "s"), "MB/s": (1e6, "B/s"), "MHz": (1e6, "Hz")}
GROUPS = {("local-latency", "2p/0K ctxsw"): "context-switch"}  # shown in two tables
CYCLE = ("integer", "intgr add")  # additions that wait for each other take a cycle each
CLOCK = ("basic", "Mhz")
PARALLELISM = ("basic", "mem par")
LINE = ("basic", "cache line bytes")

Found = dict[tuple[str, str], Interval]


def run(study: Study[Settings], context: Context) -> Result:
    """The probe runs here each time. Raises UserError when it fails; items that this machine does not allow are told."""
    program = study.programs[0]
    context.say(f"{program.program} here")
    record = launched(program, Layout(1, 1), context)[1]
    return beside(study, record)


def beside(study: Study[Settings], record: Record) -> Result:
    found = measured(record)
    result = Result(assumptions=list(study.settings.assumptions))
    for name in study.settings.tables:
        rows = published_rows(study, name, found)
        result.rows += rows
        result.sections.append(section(study.published.table(name).title, rows, found))
    shown = {tuple(row.id.split("/", 1)) for row in result.rows}
    result.sections.append(switches(found))
    result.sections.append(others({key: one for key, one in found.items() if key not in shown}))
    result.sections += missing(record)
    result.summary = summary(result)
    return result


def measured(record: Record) -> Found:
    """Medians by group and item: seconds, or bytes a second where an operation moves bytes."""
    samples: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in record.rows("items"):
        value = row["bytes"] / row["seconds"] if row["bytes"] else row["seconds"]
        samples[row["group"], row["item"]].append(value)
    found = {key: median_interval(values) for key, values in samples.items()}
    if CYCLE in samples:
        found[CLOCK] = median_interval([1.0 / one for one in samples[CYCLE]])
    loads = {key[1]: one.value for key, one in found.items() if key[0] == "memory-parallelism"}
    if "1 load" in loads:
        found[PARALLELISM] = median_interval([loads["1 load"] / min(loads.values())])
    for row in record.rows("places"):
        if row["what"] == "cache line" and row["value"].isdigit():
            found[LINE] = median_interval([float(row["value"])])
    return found


def published_rows(study: Study[Settings], name: str, found: Found) -> list[Row]:
    rows = []
    for cells in study.published.table(name).rows:
        item = str(cells["name"])
        scale, unit = SCALES.get(str(cells["unit"]), (1.0, "B" if cells["unit"] == "B" else "1"))
        ours = found.get((GROUPS.get((name, item), name), item))
        value = study.published.number(name, "name", item, "value")
        rows.append(Row(f"{name}/{item}", value * scale, ours.value if ours else None, unit, "measured"))
    return rows


def section(title: str, rows: list[Row], found: Found) -> Section:
    lines = []
    for row in rows:
        table, item = row.id.split("/", 1)
        ours = found.get((GROUPS.get((table, item), table), item))
        ratio = "" if row.error is None else f"{1.0 + row.error:.3g}"
        lines.append([item, units.quantity(row.published, row.unit), *shown(ours, row.unit), ratio])
    columns = ["item", "published", "here", "95 % interval", "here / published"]
    return Section(title, [], [], columns, lines)


def shown(ours: Interval | None, unit: str) -> tuple[str, str]:
    if ours is None:
        return "not measured", ""
    return units.quantity(ours.value, unit), " to ".join(
        units.quantity(end, unit) for end in (ours.low, ours.high)
    )


def switches(found: Found) -> Section:
    """All pairs of number of processes and memory of each."""
    cells = {
        key[1].removesuffix(" ctxsw"): one.value for key, one in found.items() if key[0] == "context-switch"
    }
    rows, columns = (list(dict.fromkeys(name.split("/")[part] for name in cells)) for part in (0, 1))
    lines = [
        [
            row,
            *(
                units.seconds(cells[f"{row}/{column}"]) if f"{row}/{column}" in cells else ""
                for column in columns
            ),
        ]
        for row in rows
    ]
    words = ["Time of a context switch by number of processes and memory that each of them sums."]
    return Section("Context switches here", words, [], ["processes", *columns], lines)


def others(found: Found) -> Section:
    lines = [
        [group, item, *shown(one, unit_of(group, item))]
        for (group, item), one in found.items()
        if group != "context-switch"
    ]
    words = ["Items of LMbench that its summary leaves out, or that the published listing has no number for."]
    return Section("Beyond the listing", words, [], ["table", "item", "here", "95 % interval"], lines)


def unit_of(group: str, item: str) -> str:
    return "B/s" if group == "local-bandwidth" else "s"


def missing(record: Record) -> list[Section]:
    lines = [[row["group"], row["item"], row["why"]] for row in record.rows("missing")]
    return [Section("Not measured here", [], [], ["table", "item", "why"], lines)] if lines else []


def summary(result: Result) -> list[str]:
    both = [row for row in result.rows if row.error is not None]
    if not both:
        return ["Nothing was measured."]
    ahead = sum((row.error > 0) == row.unit.endswith(("B/s", "Hz")) for row in both)
    far = max(both, key=lambda row: max(1.0 + row.error, 1.0 / (1.0 + row.error)))
    return [
        f"{units.count(len(both), 'item')} of {len(result.rows)} published ones are measured here; {ahead} are better here.",
        f"The largest difference is {far.id}: {units.quantity(far.ours, far.unit)} here, published {units.quantity(far.published, far.unit)}"
        f" ({number(1.0 + far.error)} times).",
    ]
