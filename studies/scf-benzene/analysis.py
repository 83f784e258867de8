"""The printed listing of a molecular orbital program beside ours, the growth laws beside counted and measured work, and the published rule of
time beside polyacenes: forecast from small ones, then run."""

import math
from dataclasses import dataclass, field

from hakaru.facts import programs
from hakaru.facts.forecasts import Forecast
from hakaru.facts.records import Record
from hakaru.facts.strict import Strict
from hakaru.facts.work import Work
from hakaru.foretell.forecast import make
from hakaru.foretell.models import launch_phases
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.kinds import Assumptions, Count, Counts
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.study import Study

# Parts of the published listing, each with the phases of ours that do it.
PARTS = {
    "normalize": ("normalise",),
    "one-electron integrals": ("one_electron",),
    "two-electron integrals": ("pairs", "two_electron"),
    "SCF": ("fock", "scf"),
    "file I/O": ("io",),
}
# Published growth laws, each with the phase that they are of, and what of its counted work: integrals are stored once.
LAWS = {"one-electron integrals": "one_electron", "two-electron integrals": "two_electron", "SCF": "scf"}
COUNTED = {"one_electron": "bytes", "two_electron": "bytes", "scf": "flops"}
BENZENE = 36
LARGE_LIMIT_S = 1800.0


class Settings(Strict):
    """[analysis] of study.toml: rings of the acenes that are run first, ``launches`` times each, and of those that are foretold from them."""

    small: Counts
    large: Counts
    launches: Count
    assumptions: Assumptions


@dataclass
class Runs:
    """Records by rings, those of small acenes, and what was foretold of the others before they ran."""

    records: dict[int, list[Record]] = field(default_factory=dict)
    forecasts: dict[int, Forecast] = field(default_factory=dict)

    def phases(self, rings: int) -> dict[str, float]:
        """Median time of each phase, s; empty without a record of a run."""
        launches = [launch_phases(one) for one in self.records[rings] if one.repetitions]
        if not launches:
            return {}
        return {name: sorted(one[name] for one in launches)[len(launches) // 2] for name in launches[0]}


def run(study: Study[Settings], context: Context) -> Result:
    result = Result(basis=study.basis, assumptions=list(study.settings.assumptions))
    benzene, acenes = study.programs
    context.say("benzene as in the listing")
    listing(study, result, launched(benzene, Layout(1, 1), context)[1])
    growth(study, result, acenes)
    rule(study, result, acenes, run_acenes(study.settings, acenes, context))
    return result


def seconds(phases: dict[str, float], part: str) -> float:
    return sum(phases.get(name, 0.0) for name in PARTS[part])


def listing(study: Study[Settings], result: Result, record: Record) -> None:
    rows = []
    if iterations := record.metric("iterations"):
        stated = study.published.number("parameters", "item", "SCF iterations", "value")
        rows.append(Row("listing/SCF iterations", stated, iterations.samples[0], "1", "measured"))
    if record.repetitions:
        phases = launch_phases(record)
        for part in (*PARTS, "total"):
            ours = sum(phases.values()) if part == "total" else seconds(phases, part)
            stated = study.published.number("times", "part", part, "time")
            rows.append(Row(f"listing/{part}", stated, ours, "s", "measured"))
    result.add(rows)
    lines = [[row.id.partition("/")[2], number(row.published), number(row.ours), row.unit] for row in rows]
    words = ["Benzene in STO-3G, integrals on disk; the publication's machine has no name."]
    result.sections.append(Section("The listing", words, [], ["part", "published", "ours", "unit"], lines))


def described(entry: Entry, rings: int) -> Work:
    program = programs.named(entry.program)
    return program.describe(entry.parameters | {"rings": rings}, 1, 1).evaluated


def exponent(sizes: tuple[float, float], values: tuple[float, float]) -> float:
    return math.log(values[1] / values[0]) / math.log(sizes[1] / sizes[0])


def law(study: Study[Settings], part: str) -> float:
    """The 4 of O(N^4)."""
    rows = study.published.table("program").rows
    text = next(str(row["value"]) for row in rows if row["item"] == part)
    return float(text.removeprefix("O(N^").removesuffix(")"))


def growth(study: Study[Settings], result: Result, entry: Entry) -> None:
    """Exponents of counted work between the largest small acene and the largest of all."""
    first, last = (described(entry, rings) for rings in (study.settings.small[-1], study.settings.large[-1]))
    rows = []
    for part, phase in LAWS.items():
        of_phase = first.phase(phase), last.phase(phase)

        def grown(count: str, works: tuple = of_phase) -> float:
            return exponent((first.size, last.size), tuple(getattr(work, count) for work in works))

        rows.append(Row(f"growth/{part}", law(study, part), grown(COUNTED[phase]), "1"))
        rows.append(Row(f"operations/{part}", None, grown("flops"), "1"))
    result.add(rows)
    rows = [*result.of("growth/"), *result.of("operations/")]
    lines = [[row.id, number(row.published), number(row.ours), error(row)] for row in rows]
    words = [
        f"Exponents of N between N = {first.size:g} and {last.size:g}, counted by the schedule: of integrals and of operations of the "
        "SCF; then of all operations, where negligible primitive pairs are left out and each nucleus attracts."
    ]
    result.sections.append(Section("Growth", words, [], ["what", "published", "ours", "error"], lines))


def run_acenes(settings: Settings, entry: Entry, context: Context) -> Runs:
    runs = Runs()
    for rings in (*settings.small, *settings.large):
        if rings == settings.large[0]:
            known = [record for records in runs.records.values() for record in records]
            runs.forecasts = {one: foretold(entry, one, known) for one in settings.large}
        launches = settings.launches if rings in settings.small else 1
        context.say(f"{rings} rings, launches: {launches}")
        runs.records[rings] = [
            launched(entry, Layout(1, 1), context, {"rings": rings}, timeout_s=LARGE_LIMIT_S)[1]
            for _ in range(launches)
        ]
    return runs


def foretold(entry: Entry, rings: int, records: list[Record]) -> Forecast:
    def describe(parameters: dict) -> Work:
        return programs.named(entry.program).describe(parameters, 1, 1).evaluated

    return make(records, entry.program, described(entry, rings), describe)


def rule(study: Study[Settings], result: Result, entry: Entry, runs: Runs) -> None:
    """11 s (N / 36)^4 as a multiple of benzene's time, beside ours; forecasts beside runs."""
    base = sum(runs.phases(study.settings.small[0]).values())
    rows, lines = [], []
    for rings in study.settings.large:
        size, spent = described(entry, rings).size, sum(runs.phases(rings).values())
        if not spent or not base:
            continue
        rows.append(Row(f"rule/{size:g}", (size / BENZENE) ** 4, spent / base, "times", "measured"))
        lines.append([f"{size:g}", number((size / BENZENE) ** 4), number(spent / base), *shown(runs, rings)])
        rows += exponents(study, runs, rings, size)
    result.add(rows)
    words = [
        "Time over that of benzene: by the published rule and here; then the time in seconds, foretold from the small acenes, with its "
        "interval, and as it ran."
    ]
    columns = ["N", "rule", "ours", "foretold", "interval", "ran"]
    result.sections.append(Section("The rule", words, [], columns, lines))


def shown(runs: Runs, rings: int) -> list[str]:
    ran, foretold_time = sum(runs.phases(rings).values()), runs.forecasts[rings].time_s
    if foretold_time is None:
        return [runs.forecasts[rings].extrapolation.reason, "", number(ran)]
    interval = f"{number(foretold_time.low)} to {number(foretold_time.high)}"
    return [number(foretold_time.value), interval, number(ran)]


def exponents(study: Study[Settings], runs: Runs, rings: int, size: float) -> list[Row]:
    """Of each published part: as foretold from the small acenes, between the largest of them and this one."""
    small = study.settings.small[-1]
    first = runs.phases(small)
    work = runs.records[small][0].work
    if work is None or work.size is None:
        return []
    times = {one.name: one.time_s.value for one in runs.forecasts[rings].phases}
    rows = []
    for part, phase in LAWS.items():
        if first.get(phase) and times.get(phase):
            ours = exponent((work.size, size), (first[phase], times[phase]))
            rows.append(Row(f"foretold growth/{size:g}/{part}", law(study, part), ours, "1", "measured"))
    return rows
