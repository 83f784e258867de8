"""The programs on this machine: as many ranks as cores, and one rank of as many threads, launched in turns; ratios of each turn."""

from dataclasses import dataclass, field

from hakaru.base import units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.statistics import Interval, median_interval
from hakaru.base.topology import usable_cores
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.evidence import UNPUBLISHED
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .pricing import Benches, priced
from .pricing import Layout as Place
from .settings import Settings

MOST_CORES = 8
TIMEOUT_S = 300.0
REPETITIONS = 5


@dataclass
class Turns:
    """Of one program: seconds of each layout by turn, and the share of the ranks' time that is messages."""

    flat_s: list[float] = field(default_factory=list)
    team_s: list[float] = field(default_factory=list)
    messages: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> Interval:
        """Of the ranks' time to the threads', formed inside each turn."""
        return median_interval([flat / team for flat, team in zip(self.flat_s, self.team_s, strict=True)])


def run_here(study: Study[Settings], context: Context) -> Result:
    """A program one of whose runs fails, or whose result is wrong, has no row and is named. Raises UserError on one core."""
    cores = min(usable_cores(), MOST_CORES)
    if cores < 2:
        raise UserError(
            "the programs do not run here",
            "ranks and threads differ on two cores and more, and this machine grants one",
            "run it on another machine",
            ENVIRONMENT,
        )
    result, lines, refused = Result(), [], []
    for program in study.settings.here.programs:
        context.say(f"{program.application}: {cores} ranks and {cores} threads in turns")
        try:
            found = taken(program, cores, study.settings.here.launches, context)
        except UserError as error:
            refused.append(f"{program.application}: {error}")
            continue
        replayed = replayed_ratio(study, context, program, cores)
        result.rows += rows(program.application, cores, found)
        result.rows.append(
            Row(f"here/{program.application}/ratio/replayed", None, replayed, "times", UNPUBLISHED)
        )
        lines.append([*line(program.application, found), f"{replayed:.3f}"])
    words = [
        f"{cores} ranks of a thread over one rank of {cores} threads, {study.settings.here.launches} turns of the fastest "
        f"of {REPETITIONS} repetitions, medians of the ratios of each turn with their 95 % intervals. Every run verified its result. "
        f"Replayed: as many cores of {study.settings.here.node.machine}, a processor that may be another.",
    ]
    columns = ["program", "ranks", "threads", "ratio", "95 %", "messages", "replayed"]
    result.sections = [Section("On this machine", [*words, *refused], [], columns, lines)]
    result.summary = [*(verdict(one[0], one[3], one[4]) for one in lines), *refused]
    return result


def replayed_ratio(study: Study[Settings], context: Context, program: Entry, cores: int) -> float:
    node, benches = study.settings.here.node, Benches(context, study.settings)
    flat, team = (
        priced(study, benches, node, program, Place(*layout)).time_s for layout in ((cores, 1), (1, cores))
    )
    return flat / team


def taken(program: Entry, cores: int, launches: int, context: Context) -> Turns:
    """The order of the layouts changes from turn to turn."""
    turns, flat, team = Turns(), Layout(cores, 1), Layout(1, cores)
    for turn in range(launches):
        records = {
            layout: verified(program, layout, context)
            for layout in ((flat, team) if turn % 2 == 0 else (team, flat))
        }
        turns.flat_s.append(calm_s(records[flat]))
        turns.team_s.append(calm_s(records[team]))
        turns.messages.append(messages(records[flat]))
    return turns


def verified(program: Entry, layout: Layout, context: Context) -> Record:
    """Raises UserError when the launch failed, or its result is not what it has to be."""
    _, record = launched(program, layout, context, repetitions=REPETITIONS, warmup=1, timeout_s=TIMEOUT_S)
    if record.verdict != "passed":
        wrong = [check.name for check in record.checks if not check.passed]
        raise UserError(
            f"{layout.ranks}x{layout.threads} did not verify",
            ", ".join(wrong[:3]) or record.verdict,
            "see its record",
        )
    return record


def calm_s(record: Record) -> float:
    """The shortest repetition, without what other programs took of the processors: what disturbs a run only adds to it."""
    return min(one.wall_s * one.left_alone() for one in record.repetitions)


def messages(record: Record) -> float:
    """Share of the slowest rank's time in phases that communicate; waiting for others included."""
    last = record.repetitions[-1]
    spent = last.kind_times(record.phase_kinds(), "communicate")
    return max(one / rank for one, rank in zip(spent, last.rank_s, strict=True))


def rows(name: str, cores: int, found: Turns) -> list[Row]:
    ratio = found.ratio
    values = {
        f"{cores}x1/time": (median_interval(found.flat_s).value, "s"),
        f"1x{cores}/time": (median_interval(found.team_s).value, "s"),
        "ratio": (ratio.value, "times"),
        "ratio/low": (ratio.low, "times"),
        "ratio/high": (ratio.high, "times"),
        "messages": (median_interval(found.messages).value, "1"),
    }
    return [Row(f"here/{name}/{key}", None, value, unit, "measured") for key, (value, unit) in values.items()]


def line(name: str, found: Turns) -> list[str]:
    ratio = found.ratio
    return [
        name,
        units.seconds(median_interval(found.flat_s).value),
        units.seconds(median_interval(found.team_s).value),
        f"{ratio.value:.3f}",
        f"{ratio.low:.3f} to {ratio.high:.3f}",
        units.percent(median_interval(found.messages).value),
    ]


def verdict(name: str, ratio: str, interval: str) -> str:
    low, high = map(float, interval.split(" to "))
    told = "threads are faster" if low > 1.0 else "ranks are faster" if high < 1.0 else "too close to call"
    return f"{name}: ranks take {ratio} times as long as threads ({interval}): {told}."
