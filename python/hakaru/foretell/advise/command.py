"""The command ``hakaru advise``: from what was asked to a ranking."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.paths import results_folder
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.files import resolve
from hakaru.facts.records import RecordStore
from hakaru.foretell.advise import calibrating, candidates, costs, inputs
from hakaru.foretell.advise.by import JOULES, NODE_HOURS, TIME
from hakaru.foretell.advise.predict import Adviser, Predicted
from hakaru.foretell.advise.ranking import Advice, rank
from hakaru.foretell.replay import store as replays
from hakaru.foretell.replay.engine import engine
from hakaru.run.measuring import by_name

SHOWN_LEFT_OUT = 3


@dataclass(frozen=True)
class Request:
    """The options of the command; ``calibrate`` are parameters of short runs here, None: none are made."""

    words: list[str]
    nodes: int
    machine: str = "here"
    cores: int | None = None
    vary: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    most_ranks: int = 4096
    calibrate: list[str] | None = None
    results: str | None = None
    one_program: bool = False
    jobs: int = 2
    by: str = TIME


def advise(request: Request) -> Advice:
    """Raises UserError where nothing can be ranked."""
    results = results_folder(request.results)
    machine = Machine.load(resolve(request.machine, results))
    tool = engine(replays.kept(results))
    with tempfile.TemporaryDirectory(prefix="hakaru-advise-") as folder:
        adviser = Adviser(tool, machine, Path(folder))
        if inputs.are_traces(request.words, [program.name for program in programs.known()]):
            predicted = adviser.predict_traces(request.words, request.nodes, request.one_program)
            return _ranked("traces", predicted, adviser, request)
        if traces := _measured_layouts(request.words):
            name = traces[0].rpartition("@")[0].removeprefix(by_name.PREFIX)
            predicted = adviser.predict_traces(traces, request.nodes, True)
            measured = _with_runs(adviser, name.partition(",")[0], results)
            return _ranked(name, predicted, measured, request)
        return _of_a_leaf(request, adviser, results)


def _of_a_leaf(request: Request, adviser: Adviser, results: Path) -> Advice:
    program, *words = request.words
    given = programs.parse_assignments(words)
    family = (program, given, adviser.machine, request.nodes, request.cores)
    found = candidates.family(*family, request.vary, request.collectives, request.most_ranks)
    if not found.candidates:
        raise UserError(
            f"{program} runs in no layout of {units.count(request.nodes, 'node')}",
            "; ".join(found.left_out[:3]),
            "choose other parameters or --nodes",
        )
    if request.calibrate is not None:
        here = resolve("here", results)
        measured = Machine.load(here) if here.is_file() else None
        short = calibrating.short_runs(program, given, request.calibrate, measured, _say)
        calibrating.run(program, short, found.candidates, RecordStore(results), _say)
    adviser = _with_runs(adviser, program, results)
    predicted = adviser.predict_all(program, given, found.candidates, request.jobs, _say)
    first = found.candidates[0]
    size = programs.named(program).work(given, first.ranks, first.threads).size
    name = " ".join([program, *programs.assignments(given)])
    return _ranked(name, predicted, adviser, request, found.left_out, size)


def _ranked(
    name: str,
    predicted: list[Predicted],
    adviser: Adviser,
    request: Request,
    left_out: Sequence[str] = (),
    size: float | None = None,
) -> Advice:
    """With energies, by what was asked for."""
    machine = adviser.machine
    found = costs.powers(adviser.records, size, machine, machine == adviser.measured_on)
    return rank(
        name, machine.name, costs.with_energies(predicted, found), left_out, request.by, found.why_not
    )


def _measured_layouts(words: list[str]) -> list[str]:
    """Of anybody's program that was measured: a trace for each layout that ran, as ``predict_traces`` takes them; else none."""
    found = by_name.named(words)
    if found is None:
        return []
    records = RecordStore(results_folder()).all(program=found.program.name, status="ok")
    layouts = sorted({(record.ranks, record.threads) for record in records}) or [(found.ranks, found.threads)]
    text = ",".join([found.program.name, *programs.assignments(found.given)])
    return [f"{by_name.PREFIX}{text},ranks={ranks}@{threads}" for ranks, threads in layouts]


def _with_runs(adviser: Adviser, program: str, results: Path) -> Adviser:
    """It knows the runs of the program in the results folder, and the machine that they were made on, where there are any."""
    records = RecordStore(results).all(program=program)
    here = resolve("here", results)
    if not records or not here.is_file():
        return adviser
    return replace(adviser, records=records, measured_on=Machine.load(here))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show(advice: Advice, most: int) -> None:
    from hakaru.base.tables import print_table

    lines = [_line(number, one, advice) for number, one in enumerate(advice.ranked[:most], 1)]
    columns = ["ranks x threads", "time", "range", "ratio", *_asked(advice), "way"]
    said = [index for index in range(len(columns)) if any(line[index] for line in lines)]
    right = [place for place, index in enumerate(said) if 0 < index < len(columns) - 1]
    print_table(
        f"{advice.program} on '{advice.machine}'",
        [columns[index] for index in said],
        [[line[index] for index in said] for line in lines],
        right=right,
    )
    if len(advice.ranked) > most:
        print(f"and {len(advice.ranked) - most} more layouts (--all shows them)")
    print()
    for text in advice.reasons:
        print(text)
    if advice.no_energy:
        print(f"Energy: not available ({advice.no_energy}).")
    elif advice.by == TIME and advice.best.energy:
        print(f"Of the first, {advice.best.energy.words}.")
    for text in advice.attention:
        print(f"ATTENTION: {text}.")
    print(f"Computing: {advice.best.priced}.")
    for text in advice.left_out[:SHOWN_LEFT_OUT]:
        print(f"Left out: {text}")
    if len(advice.left_out) > SHOWN_LEFT_OUT:
        print(f"and {len(advice.left_out) - SHOWN_LEFT_OUT} more left out (--json names them)")
    print(f"Run it: {advice.best.candidate.launch} PROGRAM")


def _asked(advice: Advice) -> list[str]:
    """Columns of what layouts are ranked by: a table is narrow."""
    return {NODE_HOURS: ["node-hours"], JOULES: ["energy"]}.get(advice.by, ["network", "messages"])


def _told(one: Predicted, columns: Sequence[str]) -> list[str]:
    told = {
        "network": units.percent(one.communicate_s / one.time_s),
        "messages": str(one.messages),
        "node-hours": f"{costs.node_hours(one).value:.3g}",
        "energy": units.quantity(one.energy.joules.value, "J") if one.energy else "",
    }
    return [told[name] for name in columns]


def _line(number: int, one: Predicted, advice: Advice) -> list[str]:
    best = min(advice.ranked, key=lambda other: other.time_s) if advice.by != TIME else advice.best
    return [
        f"{number}. {one.candidate.ranks} x {one.candidate.threads} on {one.candidate.nodes}",
        units.seconds(one.time_s),
        units.seconds_range(one.low_s, one.high_s) if one.low_s < one.high_s else "",
        f"{one.time_s / best.time_s:.2f}",
        *_told(one, _asked(advice)),
        _way(one.candidate),
    ]


def _way(one: candidates.Candidate) -> str:
    """Shorter than a candidate's ``ways``: a table is narrow."""
    words = [
        value if isinstance(value, str) else f"{name}={str(value).lower()}" for name, value in one.parameters
    ]
    words += [way for _, way in one.collectives]
    words += [one.mapping] if one.mapping != candidates.MAPPINGS[0] else []
    words += [one.binding] if one.sockets else []
    return ", ".join(words) or one.source or ""
