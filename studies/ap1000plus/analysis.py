"""Studies that publish how many times faster programs run on machines than on a base machine, from a simulator of messages.

The computing rate of each program, which the simulator took from traces, is found so that one machine (``fitted``) is as far from the base
as was published; the other machine (``predicted``) then follows. Nothing else is fitted to these ratios.
"""

import statistics

from hakaru.facts.schedules import counts
from hakaru.studies.analyses import Context
from hakaru.studies.evidence import PREDICTION
from hakaru.studies.replays import computation_factor, machine_named
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import beyond, shown
from .cases import Case, all_cases
from .here import run_here
from .settings import Settings, Stated

ASSUMED = "assumption"
FACTOR = (
    "compute.computation_factor"  # a program that does not communicate is as much faster as the processor
)


def run(study: Study[Settings], context: Context) -> Result:
    """Tables of ratios, communication and parts of time beside the published ones, then what the publication left open."""
    cases = all_cases(study, context)
    result = Result(basis=study.basis)
    result.add(ratio_rows(study, cases) + count_rows(study, cases) + part_rows(study, cases))
    result.assumptions = assumptions(study)
    result.summary = summary(result, study.settings.predicted.machine)
    result.sections += shown.sections(study, cases, result)
    if study.settings.beyond:
        context.say("beyond the publication")
        rows, sections = beyond.beyond(study, cases, context)
        result.add(rows)
        result.sections += sections
    return result


def here(study: Study[Settings], context: Context) -> Result:
    """The programs themselves on this machine."""
    return run_here(study, context)


def ratio_rows(study: Study[Settings], cases: list[Case]) -> list[Row]:
    rows = []
    for one in cases:
        for role in (study.settings.predicted, study.settings.fitted):
            published = study.published.number(study.settings.table, "application", one.name, role.column)
            ours = one.ratio(study.settings.base, role.machine)
            of = () if one.fitted else (FACTOR,)
            rows.append(Row(f"table4/{one.name}/{role.machine}", published, ours, "times", of=of))
    return rows


def count_rows(study: Study[Settings], cases: list[Case]) -> list[Row]:
    """What schedules do beside what the publication counted."""
    rows = []
    for one in cases:
        published = study.published.row(study.settings.counts, "application", one.name)
        for name in (*counts.COUNTS, "message_size"):
            unit = "B" if name == "message_size" else "1"
            rows.append(
                Row(f"table5/{one.name}/{name}", float(published[name]), one.counted[name], unit, "measured")
            )
    return rows


def part_rows(study: Study[Settings], cases: list[Case]) -> list[Row]:
    """Parts of time as the publication states them: the overhead that is left, the share of the run-time system, the gain."""
    predicted, fitted = study.settings.predicted.machine, study.settings.fitted.machine
    stated = {one.application: one for one in study.settings.stated}
    rows = []
    for one in cases:
        facts = stated.get(one.name, Stated(application=one.name))
        before, after = one.replayed[fitted].parts_s["overhead"], one.replayed[predicted].parts_s["overhead"]
        if before > 0:
            rows.append(Row(f"figure6/{one.name}/overhead", facts.overhead, after / before, "1"))
        if one.fitted and one.bench.run_time_system:
            share = one.replayed[predicted].shares["runtime"]
            rows.append(Row(f"figure6/{one.name}/run-time system", facts.run_time_system, share, "1"))
    speed_up = 1.0 / computation_factor(machine_named(fitted))
    gains = [one.ratio(study.settings.base, fitted) / speed_up for one in cases]
    if gains and study.settings.gain is not None:
        of = tuple(f"table4/{one.name}/{fitted}" for one in cases)
        rows.append(Row("statements/gain", study.settings.gain, statistics.mean(gains), "1", of=of))
    return rows


def summary(result: Result, machine: str) -> list[str]:
    """Errors of what was predicted for a machine, in words."""
    errors = [abs(row.error) for row in result.of("table4/") if row.kind == PREDICTION]
    counted = [row for row in result.of("table5/") if row.published is not None]
    same = sum(abs(row.ours - row.published) <= max(0.5, 0.005 * row.published) for row in counted)
    told = f"Communication counted in the schedules: {same} of {len(counted)} numbers as published (within 0.5 or 0.5 %)."
    if not errors:
        return [told]
    return [
        f"Predicted ratios of {machine}: median error {statistics.median(errors):.1%}, largest {max(errors):.1%}, of {len(errors)}.",
        told,
    ]


def assumptions(study: Study[Settings]) -> list[str]:
    """What is not published: of the study, and facts of its machines whose source says so."""
    texts = list(study.settings.assumptions)
    for name in (study.settings.base, study.settings.predicted.machine):
        for path, fact in machine_named(name).walk():
            if fact.source.startswith(ASSUMED):
                reason = fact.source.removeprefix(ASSUMED).lstrip(": ")
                texts.append(f"{name}: {path} = {fact.value:g} {fact.unit or ''} ({reason})")
    return texts
