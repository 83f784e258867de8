"""NPB by processes against threads on one node: schedules of the same program as P ranks of a thread, one rank of P threads, and mixes.

time(ranks) / time(threads) of one replay over another; threads pay a region for each computation and share whole parts of loops, ranks pay
messages and share whole planes.
"""

import msgspec

from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from .cases import Case, case_of
from .here import run_here
from .pricing import FASTER, ONE_MEMORY, ROOFLINE, SLOWER, Benches, Layout, priced
from .settings import Settings, Tested
from .shown import cannot, parts_section, ratios_section, summary

__all__ = ["Settings", "here", "run"]

INNER = 25  # steps of conjugate gradients for each estimate of CG


def run(study: Study[Settings], context: Context) -> Result:
    settings, result = study.settings, Result(basis=study.basis)
    benches = Benches(context, settings)
    cases = [
        case_of(study, context, node, program, benches)
        for node in settings.nodes
        for program in study.programs
        if program.application != settings.tested.application
    ]
    result.add([tested(study, benches), *(row for case in cases for row in rows(case))])
    result.sections = [ratios_section(cases), parts_section(cases), cannot(cases)]
    result.summary = summary(cases)
    result.assumptions = list(settings.assumptions)
    return result


def here(study: Study[Settings], context: Context) -> Result:
    return run_here(study, context)


def rows(case: Case) -> list[Row]:
    team = case.found[case.team, ROOFLINE]
    found = [
        Row(f"time/{case.name}/{one}", None, of.time_s, "s")
        for (one, way), of in case.found.items()
        if not way
    ]
    found += [Row(f"ratio/{case.name}/{one}", None, case.ratio(one), "times") for one in case.layouts]
    found.append(Row(f"forks/{case.name}", None, team.forks_s / team.time_s, "1"))
    found.append(Row(f"copies/{case.name}", None, team.copies, "1"))
    found.append(Row(f"uneven threads/{case.name}", None, team.imbalance, "times"))
    if case.flat in case.refused:
        return found
    found.append(Row(f"messages/{case.name}", None, case.messages, "1"))
    found.append(Row(f"computing/{case.name}", None, case.computing, "times"))
    found.append(Row(f"uneven ranks/{case.name}", None, case.uneven_ranks, "times"))
    found += [
        Row(f"ratio/{case.name}/{case.flat}/{way}", None, case.ratio(case.flat, way), "times")
        for way in (SLOWER, FASTER, ONE_MEMORY)
    ]
    return [*found, Row(f"break even/{case.name}", None, case.break_even_s, "s")]


def tested(study: Study[Settings], benches: Benches) -> Row:
    """The published rate of threads against the replay's."""
    asked = study.settings.tested
    program = next(one for one in study.programs if one.application == asked.application)
    node = next(one for one in study.settings.nodes if one.machine == asked.machine)
    node = msgspec.structs.replace(node, cores=asked.threads)
    found = priced(study, benches, node, program, Layout(1, asked.threads))
    rate = estimates(program) * operations(asked) / found.time_s
    stated = study.published.number("grace-openmp", "program", asked.application, "rate")
    return Row(f"rate/{asked.application}/{asked.machine}/1x{asked.threads}", stated, rate, "op/s")


def estimates(program: Entry) -> int:
    return int(program.parameters["iterations"])


def operations(tested: Tested) -> float:
    """Of an estimate of CG, as the benchmark counts them: 2 n (3 + z + 25 (5 + z) + 3), z = k (k + 1)."""
    z = tested.elements * (tested.elements + 1)
    return 2.0 * tested.order * (3 + z + INNER * (5 + z) + 3)
