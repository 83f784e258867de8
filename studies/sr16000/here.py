"""A study of ways on this machine: the program itself on as many ranks as there are cores, at most two."""

import statistics
from collections import defaultdict

from hakaru.base import units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.topology import usable_cores
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Settings

RANKS = 2
SAMPLES = 9
TIMEOUT_S = 300.0


def here_rows(study: Study[Settings], context: Context) -> Result:
    """Median times by way and length, with and without the work. Raises UserError where ranks would share a core, or the launch fails."""
    if usable_cores() < RANKS:
        raise UserError(
            "the program does not run here",
            f"it needs {RANKS} cores, and ranks that share one measure the scheduler",
            "run it on another machine",
            ENVIRONMENT,
        )
    program = study.programs[0]
    lengths = study.settings.here_lengths
    context.say(f"{program.program} on {units.count(RANKS, 'rank')} here")
    parameters = {"maximum_n": max(lengths), "samples": SAMPLES}
    _, record = launched(program, Layout(RANKS, 1), context, parameters, timeout_s=TIMEOUT_S)
    times = defaultdict(list)
    for row in record.rows("program"):
        times[row["n"], row["way"], row["loaded"]].append(row["seconds"])
    return _result(study, {key: statistics.median(values) for key, values in times.items()})


def hidden_share(messages_s: float, work_s: float, together_s: float) -> float:
    return min(max(1.0 - (together_s - work_s) / messages_s, 0.0), 1.0)


def _result(study: Study[Settings], times: dict[tuple[int, str, int], float]) -> Result:
    result, lines, shares = Result(), [], []
    ways = [entry.way for entry in study.settings.ways]
    for n in sorted({n for n, _, _ in times} & set(study.settings.here_lengths)):
        line, hidden = [str(n), units.seconds(times[n, "none", 1])], [str(n)]
        result.rows.append(Row(f"here/{n}/none", None, times[n, "none", 1], "s", "measured"))
        for way in ways:
            result.rows.append(Row(f"here/{n}/{way}", None, times[n, way, 1], "s", "measured"))
            result.rows.append(Row(f"here/{n}/{way}/alone", None, times[n, way, 0], "s", "measured"))
            share = hidden_share(times[n, way, 0], times[n, "none", 1], times[n, way, 1])
            result.rows.append(Row(f"here/{n}/{way}/hidden", None, share, "1", "measured"))
            line.append(units.seconds(times[n, way, 1]))
            hidden.append(units.percent(share))
        lines.append(line)
        shares.append(hidden)
    words = [
        f"The same program on {RANKS} ranks of this machine, one core each; medians of {SAMPLES}. With 512 processes it is another experiment."
    ]
    columns = ["N", "work alone", *(entry.name for entry in study.settings.ways)]
    hidden_words = [
        "1 - (time - work alone) / messages alone, of medians, within 0 and 1: the part of the messages' time that the work hid."
    ]
    names = [entry.name for entry in study.settings.ways]
    result.sections = [
        Section("On this machine", words, [], columns, lines),
        Section("What the work hid", hidden_words, [], ["N", *names], shares),
    ]
    result.summary = [f"{len(lines)} lengths ran here on {RANKS} ranks."]
    return result
