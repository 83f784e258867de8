"""Flat against hybrid: one program on so many processors of so many nodes, one process each or one process a node with threads.

The program's schedule gives operations and messages; what a step computes is the published work, priced by the machine's facts
(``vector_machine.py``). What is fitted is a fact of the machine whose source says to which number (``fit.py`` finds it again).
"""

from concurrent.futures import ThreadPoolExecutor

from hakaru.facts.machines import Machine
from hakaru.studies.analyses import Context
from hakaru.studies.replays import machine_named
from hakaru.studies.result import Result
from hakaru.studies.study import Study

from . import layouts, rows, shown
from .here import run_here
from .settings import Settings
from .vector_machine import Layout

WORKERS = 2  # replays at a time
NO_FACT = ("fitted", "assumption")  # how the sources of facts that are not published begin


def run(study: Study[Settings], context: Context) -> Result:
    """Every layout of the study that the program can be cut into and the nodes have memory for."""
    machine = machine_named(study.settings.machine)
    wanted = layouts.layouts(study)

    def one(layout: Layout) -> layouts.Replayed:
        found = layouts.replay(study, machine, layout, context)
        context.say(
            f"{layout.n}^3, {layout.model}, {layout.nodes} x {layout.processors}: {found.time_s:.4g} s a step"
        )
        return found

    with ThreadPoolExecutor(WORKERS) as pool:
        found = {item.layout: item for item in pool.map(one, wanted)}
    result = Result(basis=study.basis)
    result.add(rows.rows(study, found, context))
    result.summary = rows.summary(result)
    result.assumptions = assumptions(study, machine)
    result.sections = shown.sections(study, found, result)
    return result


def here(study: Study[Settings], context: Context) -> Result:
    """Flat against hybrid on this machine."""
    return run_here(study, context)


def assumptions(study: Study[Settings], machine: Machine) -> list[str]:
    """What is not published: of the study, and facts of the machine whose source says so."""
    texts = list(study.settings.assumptions)
    for path, fact in machine.walk():
        if fact.source.startswith(NO_FACT):
            texts.append(f"{machine.name}: {path} = {fact.value:g} {fact.unit or ''} ({fact.source})")
    return texts
