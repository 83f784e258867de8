"""LINPACK on FX1: efficiencies of published runs, and of the one that took sixty hours, by replays of sampled steps.

The rate of computing is fitted to the run on one node; everything between nodes is predicted. The interval of the long run is as wide as the
largest miss of the runs that are shorter.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import msgspec

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.facts.schedules.schedule import TIMED
from hakaru.facts.work import Scalar
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.documents.options import Noise, Roofline
from hakaru.foretell.replay.network import network_plan
from hakaru.studies import daemons
from hakaru.studies.analyses import Context
from hakaru.studies.replays import machine_named, read
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from . import jitter
from .sampling import Steps, operations
from .settings import Case, Settings

TABLE, HOURS = "fx1", 3600.0
CLOSE, MOST_STEPS = 1e-5, 6


@dataclass
class Fx1:
    """The machine, and the program on it. ``rate``: flop/s of a node's threads in products. Replays are made with each of
    ``noises``. ``window``: of steps, None for the study's."""

    study: Study[Settings]
    context: Context
    machine: Machine
    rate: float
    networks: dict[int, Network] = field(default_factory=dict)
    noises: tuple[Noise | None, ...] = (None,)
    window: int | None = None

    @property
    def nb(self) -> int:
        return int(self.study.programs[0].parameters["nb"])

    def steps(self, rows: int, columns: int, more: Mapping[str, Scalar] | None = None) -> Steps:
        more = dict(more or {})

        def replay(n: int, panels: int) -> list[float]:
            return self.times_s(n, rows, columns, more | {"panels": panels})

        sampling = self.study.settings.sampling
        return Steps(replay, int(more.get("nb", self.nb)), sampling.points, self.window or sampling.window)

    def times_s(self, n: int, rows: int, columns: int, more: Mapping[str, Scalar]) -> list[float]:
        """With each noise: of elimination (and solution, where all panels are eliminated), without making the matrix."""
        ranks = rows * columns
        program = self.study.programs[0].with_parameters(dict(more) | {"n": n, "p": rows, "q": columns})
        schedule = self.context.schedule_of(program.changed(ranks=ranks))
        if ranks not in self.networks:
            settings = self.study.settings
            plan = network_plan(self.machine, settings.network, ranks, settings.threads, 1)
            self.networks[ranks] = plan.network
        options = Options(
            roofline=Roofline(flop_rate=self.rate, memory_bandwidth=self.bandwidth),
            sharing=self.study.settings.links,
            phase_factor={"generate": 0.0},
        )
        return [
            read(self.context.engine.replay(schedule, self.networks[ranks], asked, TIMED)).time_s
            for asked in (msgspec.structs.replace(options, noise=noise) for noise in self.noises)
        ]

    @property
    def bandwidth(self) -> float:
        return max(fact.value for fact in self.machine.facts("memory.bandwidth_peak"))


def run(study: Study[Settings], context: Context) -> Result:
    """Efficiency of each published run; time, interval and gain of the long one; what other parameters change."""
    settings = study.settings
    machine = machine_named(settings.machine)
    fx1 = Fx1(study, context, machine, dgemm_rate(machine))
    fit_rate(fx1, case_named(settings, settings.reference))
    result = Result(basis=study.basis)
    for case in settings.cases:
        context.say(f"{case.name}: {units.count(case.nodes, 'node')}")
        result.add([efficiency_row(fx1, case)])
    result.add(
        [
            Row(
                "rate of products/share of DGEMM",
                None,
                fx1.rate / dgemm_rate(machine),
                "1",
                of=("rate of products",),
            )
        ]
    )
    result.add(long_rows(fx1, result))
    result.add(varied_rows(fx1))
    result.add([sampling_row(fx1)])
    cases, share = jittered(fx1), settings.jitter.share
    result.add(jitter.rows(cases))
    result.sections = [runs_section(fx1, result), varied_section(result), jitter.section(cases, share)]
    result.summary = summary(result) + jitter.summary(cases, share)
    result.assumptions = list(settings.assumptions)
    return result


def case_named(settings: Settings, name: str) -> Case:
    return next(case for case in settings.cases if case.name == name)


def dgemm_rate(machine: Machine) -> float:
    return max(fact.value for fact in machine.facts("compute.dgemm"))


def order(fx1: Fx1, case: Case) -> int:
    """Of the matrix, whole blocks."""
    if case.n is not None:
        return case.n
    filled = math.sqrt(fx1.study.settings.fill * case.memory_per_node * case.nodes / 8.0)
    return int(filled / fx1.nb) * fx1.nb


def peak(study: Study[Settings], case: Case) -> float:
    """Of all its nodes, by the published peak of the largest system."""
    largest = max(study.published.table(TABLE).rows, key=lambda row: row["nodes"])
    return case.nodes * 1e12 * largest["rpeak"] / largest["nodes"]


def efficiency(fx1: Fx1, case: Case, n: int, more: Mapping[str, Scalar] | None = None) -> float:
    time_s = fx1.steps(case.rows, case.columns, more).total_s(n)
    return operations(n) / (time_s * peak(fx1.study, case)) if time_s > 0.0 else 0.0


def published_efficiency(study: Study[Settings], case: Case) -> float:
    if case.name == study.settings.long:
        row = fact(study, "mean efficiency of that problem")
        return row / 100.0
    rows = study.published.table(TABLE).rows
    return next(row["efficiency"] for row in rows if row["nodes"] == case.nodes) / 100.0


def fact(study: Study[Settings], item: str) -> float:
    return float(study.published.number("facts", "item", item, "value"))


def fit_rate(fx1: Fx1, case: Case) -> None:
    """The rate of products with which the reference has its published efficiency."""
    wanted, n = published_efficiency(fx1.study, case), order(fx1, case)
    for _ in range(MOST_STEPS):
        found = efficiency(fx1, case, n)
        if found <= 0.0 or abs(found / wanted - 1.0) < CLOSE:
            return
        fx1.rate *= wanted / found


def efficiency_row(fx1: Fx1, case: Case) -> Row:
    found = efficiency(fx1, case, order(fx1, case))
    return Row(f"efficiency/{case.name}", published_efficiency(fx1.study, case), found, "1")


def long_rows(fx1: Fx1, result: Result) -> list[Row]:
    """Its time, what half of its order loses, and an interval as wide as the largest miss of the shorter runs."""
    settings = fx1.study.settings
    case = case_named(settings, settings.long)
    n = order(fx1, case)
    whole = next(row.ours for row in result.rows if row.id == f"efficiency/{case.name}") or 0.0
    half = efficiency(fx1, case, n // 2)
    at_peak_s = operations(n) / peak(fx1.study, case)
    misses = [
        abs(row.error)
        for row in result.of("efficiency/")
        if row.error is not None and row.id != f"efficiency/{case.name}"
    ]
    low, high = whole * (1.0 - max(misses)), min(whole * (1.0 + max(misses)), 1.0)
    seconds = [at_peak_s / one if one > 0.0 else 0.0 for one in (whole, high, low)]
    stated_s = HOURS * fact(fx1.study, "run time of that problem")
    gain = whole / half - 1.0 if half > 0.0 else 0.0
    stated_gain = fact(fx1.study, "gain over a problem of half the size") / 100.0
    return [
        Row(f"time/{case.name}", stated_s, seconds[0], "s"),
        Row(f"time/{case.name}/low", None, seconds[1], "s"),
        Row(f"time/{case.name}/high", None, seconds[2], "s"),
        Row(f"efficiency of {case.name}/low", None, low, "1"),
        Row(f"efficiency of {case.name}/high", None, high, "1"),
        Row(f"gain over half/{case.name}", stated_gain, gain, "1"),
    ]


def varied_rows(fx1: Fx1) -> list[Row]:
    settings = fx1.study.settings
    case = case_named(settings, settings.varied)
    rows = []
    for variant in settings.variants:
        fx1.context.say(f"{case.name}: {variant.name}")
        found = efficiency(fx1, case, order(fx1, case), variant.parameters)
        rows.append(Row(f"varied/{variant.name}", None, found, "1"))
    return rows


def jittered(fx1: Fx1) -> list[jitter.Case]:
    """The fitted rate has the daemons of one node in it: without them a node computes faster by the share that they take."""
    asked = fx1.study.settings.jitter
    quiet = replace(fx1, rate=fx1.rate * (1.0 + asked.share), window=asked.window)
    cases = [case_named(fx1.study.settings, name) for name in asked.cases]
    return [one for case in cases for one in jittered_case(quiet, case)]


def jittered_case(fx1: Fx1, case: Case) -> list[jitter.Case]:
    """Detours of each length. Every schedule is read once for all of them."""
    fx1.context.say(f"{case.name}: jitter")
    asked, n = fx1.study.settings.jitter, order(fx1, case)
    noises = [daemons.noises(length.length_s, asked.share, asked.seeds) for length in asked.lengths]
    runs = replace(fx1, noises=(None, *chain.from_iterable(noises)))
    quiet_s, *times_s = runs.steps(case.rows, case.columns).totals_s(n)
    without = operations(n) / (quiet_s * peak(fx1.study, case)) if quiet_s > 0.0 else 0.0
    found = []
    for i, length in enumerate(asked.lengths):
        times = times_s[i * len(noises[i]) : (i + 1) * len(noises[i])]
        lost = daemons.lost(f"jitter/{case.name}/{length.name}", quiet_s, times)
        found.append(jitter.Case(case.name, length.name, without, lost))
    return found


def sampling_row(fx1: Fx1) -> Row:
    """Of samples over that of every step, on a run that is short enough for both."""
    small = fx1.study.settings.sampling.small
    (whole_s,) = fx1.times_s(small.n, small.rows, small.columns, {"panels": 0})
    sampled_s = fx1.steps(small.rows, small.columns).total_s(small.n)
    return Row("samples over every step", None, sampled_s / whole_s if whole_s > 0.0 else 0.0, "1")


def runs_section(fx1: Fx1, result: Result) -> Section:
    lines = []
    for case in fx1.study.settings.cases:
        row = next(row for row in result.rows if row.id == f"efficiency/{case.name}")
        published, ours = (percent(value) for value in (row.published, row.ours))
        n = order(fx1, case)
        lines.append([case.name, str(case.nodes), f"{case.rows} x {case.columns}", str(n), published, ours])
    columns = ["run", "nodes", "grid", "n", "published", "ours"]
    return Section("Efficiency", ["Of the peak of all nodes."], [], columns, lines)


def percent(share: float | None) -> str:
    return f"{100.0 * (share or 0.0):.2f} %"


def varied_section(result: Result) -> Section:
    lines = [[row.id.removeprefix("varied/"), percent(row.ours)] for row in result.of("varied/")]
    return Section("What other parameters change", [], [], ["parameters", "efficiency"], lines)


def summary(result: Result) -> list[str]:
    found = {row.id: row.ours or 0.0 for row in result.rows}
    time = next(row for row in result.of("time/") if row.published is not None)
    low, high = (found[f"{time.id}/{end}"] / HOURS for end in ("low", "high"))
    return [
        f"The long run takes {found[time.id] / HOURS:.1f} h ({low:.1f} to {high:.1f}), published about {time.published / HOURS:.0f}.",
        f"Sampled steps give {found['samples over every step']:.4f} of the time of every step on a run that is short enough for both.",
    ]
