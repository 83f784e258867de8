"""``hakaru advise`` held to measurements: every layout it ranks is run, launches in turn, here on two cores and on a lab.

A row is the time of the advised layout over that of the best measured one, at most 1.05 in 9 of 10 cases. The machine must have been probed
(``hakaru probe``); a lab needs root.
"""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.paths import results_folder
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.files import resolve
from hakaru.facts.records import Record, RecordStore
from hakaru.foretell.advise import calibrating, candidates
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.advise.predict import Adviser
from hakaru.foretell.advise.ranking import Advice, rank
from hakaru.foretell.replay.engine import engine
from hakaru.own.bench import row
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point

TARGETS = (
    "himeno",
    "heat",
    "turbulence",
    "hakaru_replay",
    "messages",
    "putget",
    "lab_switch",
    "lab_pingpong",
)
LAUNCHES = 11
REPETITIONS = 3
TIMEOUT_S = 60.0
ENOUGH = 1.05


@dataclass(frozen=True)
class Case:
    """``short``: what is changed for the short runs that advice rests on. ``lab``: (one-way latency in s, B/s of a link) between two
    hosts of one core; None: two cores here."""

    program: str
    words: str
    short: str
    lab: tuple[float, float] | None = None

    @property
    def given(self) -> dict[str, str]:
        return programs.parse_assignments(self.words.split())

    @property
    def name(self) -> str:
        where = "here"
        if self.lab:
            where = f"lab {units.seconds(self.lab[0])}, {units.digits(8e-6 * self.lab[1])} Mbit/s"
        return f"{self.program} {self.words}, {where}"


SLOW, QUICK = (1e-3, 12.5e6), (1e-4, 1.25e8)
CASES = (
    Case("turbulence", "n=32 steps=10", "steps=2"),
    Case("turbulence", "n=64 steps=3", "n=32"),
    Case("himeno", "size=XS iterations=200", "iterations=50"),
    Case("himeno", "size=S iterations=50", "iterations=10"),
    Case("heat", "n=128 steps=1000", "steps=200"),
    Case("heat", "n=1024 steps=40", "n=512"),
    Case("turbulence", "n=32 steps=2", "steps=1", QUICK),
    Case("heat", "n=1024 steps=20", "n=512", QUICK),
    Case("himeno", "size=S iterations=10", "iterations=5", SLOW),
    Case("heat", "n=256 steps=50", "steps=20", SLOW),
)

Run = Callable[[Candidate], float]
Measured = dict[Candidate, list[float]]


def advice_of(case: Case, machine: Machine, results: Path, folder: Path, cores: int, nodes: int) -> Advice:
    """From short runs of the program here, and the machine's facts."""
    found = candidates.family(case.program, case.given, machine, nodes, cores)
    store = RecordStore(results)
    here = Machine.load(resolve("here", results_folder(None)))
    short = calibrating.short_runs(case.program, case.given, case.short.split(), here, _say)
    calibrating.run(case.program, short, found.candidates, store, lambda _: None)
    records = store.all(program=case.program)
    adviser = Adviser(engine(None), machine, folder, records, here)
    predicted = adviser.predict_all(case.program, case.given, found.candidates)
    return rank(case.name, machine.name, predicted, found.left_out)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(wanted: Sequence[Candidate], run: Run, launches: int = LAUNCHES) -> Measured:
    """Times of the launches of every layout, in turn."""
    samples: dict[Candidate, list[float]] = {one: [] for one in wanted}
    for number in range(launches):
        order = list(wanted) if number % 2 == 0 else list(reversed(wanted))
        for one in order:
            samples[one].append(run(one))
    return samples


def compare(case: Case, advice: Advice, measured: Measured) -> dict:
    """The row of a case: how many times as long as the best measured layout the advised one takes, in the same turn."""
    best = min(measured.values(), key=median)
    mine = measured[advice.best.candidate]
    ratio = median_interval([own / other for own, other in zip(mine, best, strict=True)])
    return row("advise", f"advised over best, {case.name}", ratio, "1", bound=ENOUGH)


def _point(case: Case, one: Candidate) -> Point:
    parameters = case.given | dict(one.parameters)
    described = programs.named(case.program).work(parameters, one.ranks, one.threads)
    layout = Layout(one.ranks, one.threads)
    return Point(case.program, "run", tuple(sorted(described.parameters.items())), layout, 1, REPETITIONS, 1)


def _wall_s(record: Record, what: str) -> float:
    if record.failure:
        raise UserError(f"{what} failed", record.failure.reason[:200], "see its record", 4)
    return record.wall_s


def here(case: Case, folder: Path) -> tuple[Advice, Measured]:
    machine = Machine.load(resolve("here", results_folder(None)))
    results = folder / "results"
    advice = advice_of(case, machine, results, folder / "replays", 2, 1)
    store = RecordStore(results)

    def run(one: Candidate) -> float:
        return _wall_s(perform(_point(case, one), store, None, None, TIMEOUT_S), one.name)

    return advice, measure([one.candidate for one in advice.ranked], run)


@contextlib.contextmanager
def lab(case: Case, folder: Path) -> Iterator[tuple[Any, Machine]]:
    """A lab of two hosts that is up, and its machine: the network as probed there, the processor of this machine."""
    from hakaru.foretell.accuracy.measure import lab_machine
    from hakaru.run.lab import Cluster

    own = Machine.load(resolve("here", results_folder(None)))
    with Cluster(2, case.lab[0], case.lab[1]) as cluster:
        machine = lab_machine(cluster, folder / "probe.json", False)
        yield cluster, machine.with_parts_of(own, ("compute", "memory", "threads"))


def on_lab(case: Case, folder: Path, cluster: Any, machine: Machine) -> tuple[Advice, Measured]:
    advice = advice_of(case, machine, folder / "results", folder / "replays", 1, 2)
    program = programs.named(case.program)

    def run(one: Candidate) -> float:
        record = folder / "run.json"
        record.unlink(missing_ok=True)
        words = programs.assignments(case.given | dict(one.parameters))
        command = [
            str(program.path),
            "run",
            *words,
            "--repetitions",
            str(REPETITIONS),
            "--record",
            str(record),
        ]
        done = cluster.run(command, one.ranks, 1, timeout_s=TIMEOUT_S)
        if done.returncode != 0:
            raise UserError(f"{one.name} failed on the lab", done.stderr[-200:], "run it by hand", 4)
        return _wall_s(Record.read(record), one.name)

    return advice, measure([one.candidate for one in advice.ranked], run)


def run_case(case: Case, folder: Path) -> dict:
    (folder / "replays").mkdir(parents=True, exist_ok=True)
    if case.lab is None:
        advice, measured = here(case, folder)
    else:
        with lab(case, folder) as (cluster, machine):
            advice, measured = on_lab(case, folder, cluster, machine)
    predicted = {one.candidate: one for one in advice.ranked}
    for one, found in sorted(measured.items(), key=lambda item: median(item[1])):
        text = f"{units.seconds(median(found))} measured, {units.seconds(predicted[one].time_s)} predicted"
        print(f"{case.name}: {one.name}: {text}", file=sys.stderr, flush=True)
    return compare(case, advice, measured)


def run() -> list[dict]:
    rows = []
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="hakaru-advise-") as folder:
            rows.append(run_case(case, Path(folder)))
    good = sum(found["value"] <= ENOUGH for found in rows)
    share = good / len(rows)
    return [
        *rows,
        row(
            "advise",
            "cases within 5 % of the best",
            Interval(share, share, share, len(rows), 0.0),
            "1",
            bound=0.9,
        ),
    ]
