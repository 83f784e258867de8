"""Three probes on this machine, beside the bandwidths, latencies and overheads of the publication."""

from hakaru.base.errors import UserError
from hakaru.base.topology import usable_cores
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.from_probes import distil
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import rules, shown, systems
from .settings import Settings
from .systems import Here, Overheads

__all__ = ["Settings", "run"]


def run(study: Study[Settings], context: Context) -> Result:
    """The probes run here each time. Raises UserError when none of them does."""
    records, failures = measured(study, context)
    return beside(study, systems.here(machine_of(records)), failures)


def measured(study: Study[Settings], context: Context) -> tuple[list[Record], dict[str, UserError]]:
    """(records, what could not run, by probe)"""
    records: list[Record] = []
    failures: dict[str, UserError] = {}
    for program in study.programs:
        context.say(f"{program.program} here")
        try:
            most = programs.named(program.program).describe().limits.threads
            layout = Layout(1, min(usable_cores(), most or usable_cores()))
            records.append(launched(program, layout, context)[1])
        except UserError as error:
            failures[program.program] = error
    if not records:
        raise UserError("no probe ran", str(next(iter(failures.values()))), "see hakaru records --failed")
    return records, failures


def machine_of(records: list[Record]) -> Machine | None:
    """What their facts say of this machine, without those that contradict each other; None where they are of no probe."""
    own = [record for record in records if record.kind == "probe" and record.ok]
    return distil(own, "here") if own else None


def beside(study: Study[Settings], here: Here, failures: dict[str, UserError]) -> Result:
    result = Result(assumptions=list(study.settings.assumptions))
    overheads, bandwidths = systems.published_overheads(study), systems.published_bandwidths(study)
    latency = systems.published_latency(study)
    result.rows = overhead_rows(here, overheads) + bandwidth_rows(here) + latency_rows(here, latency)
    result.sections = [
        shown.overheads_section(here, overheads),
        shown.bandwidth_section(here, bandwidths),
        shown.totals_section(study, here),
        shown.latency_section(here, latency),
        shown.failures_section(failures),
    ]
    result.sections = [one for one in result.sections if one.lines]
    found = verdicts(here)
    slower = rules.hardware_barrier(overheads).values()
    result.summary = [
        *([held(found)] if found else []),
        f"A hardware barrier is said to be {rules.TIMES:.0f} times faster; in the published table the others of as many threads take "
        f"{min(slower):.1f} to {max(slower):.1f} times as long.",
    ]
    return result


def overhead_rows(here: Here, stated: list[Overheads]) -> list[Row]:
    """Beside the fastest published system with as many threads."""
    rows = []
    for own in here.overheads:
        for construct, seconds in own.seconds.items():
            others = [one.seconds[construct] for one in stated if one.threads == own.threads]
            name = f"overhead/{construct}/{own.threads}"
            rows.append(Row(name, min(others, default=None), seconds, "s", "measured"))
    return rows


def bandwidth_rows(here: Here) -> list[Row]:
    return [
        Row(f"bandwidth/{kernel}/{cores}", None, value, "B/s", "measured")
        for (kernel, cores), value in here.bandwidth.items()
    ]


def latency_rows(here: Here, stated: dict[str, float]) -> list[Row]:
    return [
        Row(f"latency/{level}", stated.get(level), seconds, "s", "measured")
        for level, seconds in here.latency.items()
    ]


def verdicts(here: Here) -> dict[str, dict[str, str]]:
    found = {}
    for own in here.overheads:
        if own.threads > 1 and set(systems.CONSTRUCTS.values()) <= own.seconds.keys():
            told = {rule.name: rule.verdict(own) for rule in rules.OF_OVERHEADS}
            found[f"{own.threads} threads"] = told
    if scaling := here.scaling:
        found[f"{scaling.parts} cores"] = {rule.name: rule.verdict(scaling) for rule in rules.OF_BANDWIDTH}
    return found
