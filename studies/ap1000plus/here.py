"""The programs of a study on this machine: verified and timed on a few ranks, against the rates that the study fitted."""

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.topology import usable_cores
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Settings

REPETITIONS = 3


def run_here(study: Study[Settings], context: Context) -> Result:
    """One launch of each program at the study's size: ``here/NAME/rate`` in flop/s of all ranks, from the median repetition. Programs
    that cannot run on so few ranks, or fail, have no row and are named."""
    ranks = min(usable_cores(), 2)
    result, lines, refused = Result(), [], []
    for program in study.programs:
        name = program.application
        context.say(f"{name}: {program.program} on {units.count(ranks, 'rank')} here")
        try:
            seconds, flops = _timed(program, ranks, context)
        except UserError as error:
            refused.append(f"{name}: {error}")
            continue
        result.rows.append(Row(f"here/{name}/time", None, seconds, "s", "measured"))
        result.rows.append(Row(f"here/{name}/rate", None, flops / seconds, "flop/s", "measured"))
        lines.append([name, units.seconds(seconds), units.quantity(flops / seconds, "flop/s")])
    words = [
        f"Each program at the study's size on {units.count(ranks, 'rank')} of this machine, median of {REPETITIONS} repetitions."
    ]
    result.sections.append(
        Section("On this machine", words + refused, [], ["application", "time", "rate"], lines)
    )
    result.summary = [f"{len(lines)} of {len(study.programs)} programs ran here.", *refused]
    return result


def _timed(program: Entry, ranks: int, context: Context) -> tuple[float, float]:
    """(median s of a repetition, flops of one). Raises UserError when the launch failed."""
    work, record = launched(program, Layout(ranks, 1), context, repetitions=REPETITIONS, warmup=1)
    return record.wall_s, work.total("flops")
