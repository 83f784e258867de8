"""The probe ``files`` on this machine, and what the publication says of the ways of writing asked of it."""

from collections.abc import Mapping, Sequence

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.files import load_module
from hakaru.base.paths import root
from hakaru.base.topology import usable_cores
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import rules, shown
from .rates import CACHE, DIRECT, DISK, MASTER, Key, Rates, of_records
from .settings import Settings

__all__ = ["Settings", "run"]

MEGA, MEBI = 10**6, 2**20
NAMES = {CACHE: "cache", DISK: "disk"}


def run(study: Study[Settings], context: Context) -> Result:
    """The probe runs here each time, its files in the results folder. Raises UserError when no launch ends well."""
    records, failures = measured(study, context)
    return beside(study, records, failures)


def measured(
    study: Study[Settings], context: Context
) -> tuple[list[tuple[int, Record]], dict[str, UserError]]:
    """(round and record of every launch, what failed by number of processes: it is not tried again)"""
    records: list[tuple[int, Record]] = []
    failures: dict[str, UserError] = {}
    folder = {"folder": str(context.results.resolve())}
    for number in range(study.settings.rounds):
        for program in study.programs:
            if program.application in failures:
                continue
            if program.ranks > usable_cores():
                failures[program.application] = crowded(program.ranks)
                continue
            context.say(f"round {number + 1} of {study.settings.rounds}: {program.application}")
            try:
                records.append((number, launched(program, Layout(program.ranks, 1), context, folder)[1]))
            except UserError as error:
                failures[program.application] = error
    if not records:
        raise UserError(
            "the probe files did not run", str(next(iter(failures.values()))), "see hakaru records --failed"
        )
    return records, failures


def crowded(ranks: int) -> UserError:
    return UserError(
        "they would share cores",
        f"there are {usable_cores()}, and the probe times each process from its own start",
        f"run the study where there are {ranks}",
    )


def beside(
    study: Study[Settings],
    records: Sequence[tuple[int, Record]],
    failures: Mapping[str, UserError] | None = None,
) -> Result:
    distiller = load_module(root() / "probes" / "files" / "distil.py")
    rates = of_records(records, distiller)
    found = rules.answers(rates)
    result = Result(assumptions=list(study.settings.assumptions))
    result.rows = [*rate_rows(study, rates), *disk_rows(study, rates)]
    launches = [record for _, record in records]
    sections = shown.sections(rates, found, published_blocks(study), launches, failures or {})
    result.sections = [one for one in sections if one.lines]
    result.summary = summary(rates, found)
    return result


def published_blocks(study: Study[Settings]) -> list[int]:
    """B of a block: size of the file / repeats / processes."""
    processes = study.published.number("facts", "item", "processes in the strided tests", "value")
    rows = study.published.table("strided-tests").rows
    return [int(MEBI * row["file_size"] / row["repeats"] / processes) for row in rows]


def rate_rows(study: Study[Settings], rates: Rates) -> list[Row]:
    """A row for each way that the publication times; it prints the master's rate only."""
    master = MEGA * study.published.number("facts", "item", "I/O master, contiguous data", "value")
    rows = []
    for key in shown.timed(rates):
        stated = master if (key.time, key.way, key.blocks) == (CACHE, MASTER, 1) else None
        name = f"rate/{NAMES[key.time]}/{key.way}/{key.blocks}/{key.ranks}"
        rows.append(Row(name, stated, rates.of(key).value, "B/s", "measured"))
    return rows


def disk_rows(study: Study[Settings], rates: Rates) -> list[Row]:
    """The disk itself: split files past the page cache, by the most processes."""
    ranks = max(rates.bytes, default=0)
    found = rates.of(Key(DISK, DIRECT, 1, ranks))
    if not found or not rates.has_disk:
        return []
    stated = MEGA * study.published.number("disk", "item", "write speed", "value")
    return [Row("disk/write speed", stated, found.value, "B/s", "measured")]


def summary(rates: Rates, found: Sequence[rules.Answer]) -> list[str]:
    if not found:
        return ["Nothing was measured."]
    verdicts: dict[str, dict[str, str]] = {}
    for one in found:
        verdicts.setdefault(shown.processes(one.ranks), {})[one.rule.name] = one.verdict
    return [held(verdicts), *growth(rates), where(rates)]


def growth(rates: Rates) -> list[str]:
    """Of contiguous data into the page cache, by the most processes."""
    ranks = max(rates.bytes)
    told = {way: rates.of(Key(CACHE, way, 1, ranks)) for way in shown.WAYS}
    ways = [f"{units.quantity(one.value, 'B/s')} by {shown.CALLED[way]}" for way, one in told.items() if one]
    who = f"{shown.processes(ranks)} {'writes' if ranks == 1 else 'write'}"
    return [f"{who} contiguous data into the page cache at {', '.join(ways)}."] if ways else []


def where(rates: Rates) -> str:
    if not rates.has_disk:
        return f"The folder is {rates.file_system}, without a disk: nothing is said of one."
    return f"Rates into the page cache have no disk in them; those to disk include the flush, to {rates.file_system} ({rates.reach})."
