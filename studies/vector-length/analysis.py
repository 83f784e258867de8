"""The probe of kernels by length on this machine, beside what the publication says of lengths."""

from hakaru.base.topology import usable_cores
from hakaru.facts.machines import Machine
from hakaru.facts.machines.from_probes import distil
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import rules, shown, vectors
from .settings import Settings
from .vectors import Vectors

__all__ = ["Settings", "run"]

CHECK_PROGRAM = "length of the DAXPY-like check program"


def run(study: Study[Settings], context: Context) -> Result:
    """The probe runs here each time. Raises UserError when it fails."""
    program = study.programs[0]
    context.say(f"{program.program} here")
    record = launched(program, Layout(1, usable_cores()), context)[1]
    return beside(study, record, distil([record], "here"))


def beside(study: Study[Settings], record: Record, machine: Machine) -> Result:
    languages = vectors.of([record], machine)
    length = int(study.published.number("loop-lengths", "item", CHECK_PROGRAM, "value"))
    result = Result(assumptions=list(study.settings.assumptions))
    result.rows = [row for one in languages for row in rows_of(one, length)]
    result.sections = [
        shown.rules_section(languages),
        shown.rates_section(languages),
        shown.threads_section(languages),
        shown.curves_section(record.rows("vectors")),
    ]
    result.sections = [one for one in result.sections if one.lines or one.pictures]
    result.summary = summary(languages, length)
    return result


def rows_of(one: Vectors, length: int) -> list[Row]:
    rows = [
        Row(f"{name}/{kernel}/{one.language}", None, float(fact.value), str(fact.unit), "measured")
        for name, facts in (("r_inf", one.rates), ("n_half", one.halves))
        for kernel, fact in facts.items()
    ]
    rows += [
        Row(f"break_even/{kernel}/{way}/{one.language}", None, float(fact.value), "1", "measured")
        for (kernel, way), fact in one.evens.items()
    ]
    if found := one.gain("daxpy", length):
        rows.append(Row(f"gain/daxpy/{found[0]}/{one.language}", None, found[1].value, "times", "measured"))
    return rows


def summary(languages: list[Vectors], length: int) -> list[str]:
    verdicts = {one.language: {rule.name: rule.verdict(one) for rule in rules.RULES} for one in languages}
    told = [held(verdicts)] if verdicts else ["Nothing was measured."]
    for one in languages:
        if found := one.gain("daxpy", length):
            told.append(
                f"The check program's {length} elements: {one.cores} threads of {one.language} that share a daxpy of {found[0]} are "
                f"{found[1].value:.2g} times as fast as one."
            )
    if ratios := rules.compilers(languages):
        first, second = languages[:2]
        apart = rules.apart(ratios)
        told.append(
            f"{second.language} is about as fast as {first.language} with {len(ratios) - len(apart)} of {len(ratios)} kernels"
            + (
                f", not with {', '.join(f'{kernel} ({ratios[kernel]:.2g} times)' for kernel in apart)}."
                if apart
                else "."
            )
        )
    return told
