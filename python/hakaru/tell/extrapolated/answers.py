"""What is said of extrapolated schedules: what they rest on, how they compare with the truth, how long they would take."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import typer

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.files import write_atomically
from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.facts.machines import Machine
from hakaru.foretell.elsewhere import held
from hakaru.foretell.extrapolate import given as runs
from hakaru.foretell.extrapolate import own
from hakaru.foretell.extrapolate.compare import Comparison, compare
from hakaru.foretell.extrapolate.extrapolate import Extrapolated, Given, extrapolate
from hakaru.foretell.replay import session, store
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay.engine import Engine, engine
from hakaru.foretell.replay.question import Choices, Question
from hakaru.tell.extrapolated.options import Request
from hakaru.tell.replays import display

MOST_TOLD = 6
MOST_CHECKED = 16384  # ranks of which every message is followed to see that it arrives


def answer(request: Request) -> None:
    """Writes the schedule, or holds it against the truth; then the exit code is 3 where operations differ."""
    from hakaru.base.paths import results_folder

    if request.output is None and request.against is None:
        raise UserError(
            "nothing is asked for", "the schedule goes nowhere", "give --output FILE, or --against TRACE"
        )
    asked = runs.asked(request.words)
    tool = engine(store.kept(results_folder(request.results)))
    with tempfile.TemporaryDirectory(prefix="hakaru-extrapolate-") as folder:
        given = runs.read(asked.words, Path(folder), tool)
        found = extrapolate(given, request.ranks, asked.sizes)
        text = _checked(found, Path(folder), tool).read_bytes()
        if request.output:
            write_atomically(request.output, lambda file: file.write(text))
        compared = _against(found, request, Path(folder), tool) if request.against else None
    if request.as_json:
        print_json(as_dict(found, compared))
    else:
        _print(found, given, request.output, compared)
    if compared is not None and not compared.same:
        raise typer.Exit(3)


def _checked(found: Extrapolated, folder: Path, tool: Engine) -> Path:
    """The schedule as a file. Raises UserError where it cannot progress: laws that hold on all traces can contradict each other elsewhere."""
    path = folder / "extrapolated.json"
    path.write_bytes(msgspec.json.encode(found.schedule))
    if found.schedule.ranks > MOST_CHECKED:
        return path
    try:
        tool.check(path)
    except UserError as error:
        raise UserError(
            f"no schedule of {found.schedule.ranks} ranks follows from these traces",
            f"the one that their laws give is none: {error}",
            "trace more numbers of ranks",
        ) from None
    return path


def _against(found: Extrapolated, request: Request, folder: Path, tool: Engine) -> Comparison:
    inner = folder / "against"
    inner.mkdir()
    truth = runs.read([request.against or ""], inner, tool)[0].schedule
    if truth.ranks != request.ranks:
        raise UserError(
            f"{request.against} has {truth.ranks} ranks",
            f"{request.ranks} were asked for",
            "compare like with like",
        )
    return compare(found.schedule, truth)


def as_dict(found: Extrapolated, compared: Comparison | None) -> dict:
    said = {
        "ranks": found.schedule.ranks,
        "streams": len(found.schedule.streams),
        "arrangement": found.grid.name,
        "assumed": list(found.assumed),
        "computing": [
            {"place": place, "share": share, "law": law.name, "error": law.error}
            for place, share, law in found.computing
        ],
    }
    return said if compared is None else said | {"compared": _compared(compared)}


def _compared(compared: Comparison) -> dict:
    return {
        "operations": compared.operations,
        "equal": compared.equal,
        "beside": compared.beside,
        "time_carried": compared.carried,
        "differing": [
            {"place": one.place, "operations": one.count, "example": one.example} for one in _worst(compared)
        ],
    }


def _worst(compared: Comparison) -> list:
    return sorted(compared.differing.values(), key=lambda one: (-one.weight_s, -one.count))


def _print(
    found: Extrapolated, given: Sequence[Given], output: Path | None, compared: Comparison | None
) -> None:
    counts = ", ".join(str(one.schedule.ranks) for one in given)
    kinds = units.count(len(found.schedule.streams), "kind")
    print(
        f"{given[0].schedule.program} on {found.schedule.ranks} ranks, from traces on {counts}: {kinds} of ranks"
    )
    print_assumed(found)
    if output:
        print(f"schedule: {output}")
    if compared is not None:
        _print_compared(compared)


def print_assumed(found: Extrapolated) -> None:
    if found.schedule.ranks > MOST_CHECKED:
        print(
            f"  taken for granted: it can progress to its end, which is followed up to {MOST_CHECKED} ranks only"
        )
    for one in found.assumed:
        print(f"  taken for granted: {one}")
    worst = sorted(found.computing, key=lambda one: -one[1])
    for place, share, law in worst[:MOST_TOLD]:
        print(f"  computing before {place}, {share:.0%} of it: {law.name} (traces within {law.error:.0%})")


def _print_compared(compared: Comparison) -> None:
    print(
        f"{compared.equal} of {compared.operations} operations are equal to the true ones, {compared.beside} are beside them"
    )
    if not compared.same:
        print(f"those that differ carry {compared.carried:.2%} of the time:")
    for one in _worst(compared)[:MOST_TOLD]:
        print(f"  {one.count} {one.place}; {one.example}")


def predict(
    words: Sequence[str], ranks: int, machine: Machine, mpi: str, folder: Path, as_json: bool
) -> None:
    """How long the extrapolated run would take on a machine. Raises UserError as ``extrapolate`` and replays do."""
    asked = runs.asked(words)
    tool = engine(store.kept(folder))
    with tempfile.TemporaryDirectory(prefix="hakaru-extrapolate-") as name:
        given = runs.read(asked.words, Path(name), tool)
        found = extrapolate(given, ranks, asked.sizes)
        path = _checked(found, Path(name), tool)
        source = sources.Source(
            "schedule", path, found.schedule.description, found.schedule.program, {}, ranks, 1
        )
        question = Question(source, _choices(found, machine, mpi, folder), tool)
        told = session.replay(question, machine, [])
        factor = question.documents(machine, ranks).compute.carried
    time_s = held.of_answer(told, factor)
    if as_json:
        interval = {"value": time_s.value, "low": time_s.low, "high": time_s.high}
        print_json(
            as_dict(found, None) | {"machine": machine.name, "time_s": interval, "interval": held.why()}
        )
        return
    print(f"{found.schedule.description}, on {machine.name}: {units.seconds_interval(time_s)}")
    computing = held.computing_s(told)
    print(
        f"  computing and waiting for the slowest: {units.seconds(computing)}; messages: {units.seconds(told.time_s - computing)}"
    )
    print_assumed(found)
    print(f"  {held.why()}; extrapolated computing may be further away")
    display.print_basis(told)


def _choices(found: Extrapolated, machine: Machine, mpi: str, folder: Path) -> Choices:
    """Counted work by the machine's roofline; measured times carried from the machine that was probed here."""
    probed = folder / "machine.toml"
    if not found.computing:
        return Choices(way="roofline", mpi=mpi)
    if not probed.is_file():
        return Choices(mpi=mpi)
    here = Machine.load(probed)
    return Choices(mpi=mpi) if here.name == machine.name else Choices(way="carried", traced_on=here, mpi=mpi)


def accuracy(as_json: bool) -> None:
    """The table of hakaru's own programs, misses first."""
    from hakaru.base.output import note

    found = []
    for row in own.rows(engine(None)):
        note(f"{row.case.program} {row.case.words}: {_verdict(row)}")
        found.append(row)
    found.sort(key=lambda row: row.missed)
    if as_json:
        print_json([_row(row) for row in found])
        return
    cells = [_cells(row) for row in found]
    title = "Extrapolated schedules against true ones, the worst first"
    print_table(
        title, ["program", "parameters", "ranks", "operations", "equal", "time of others"], cells, (3, 4, 5)
    )
    for row in found:
        if row.refused:
            print(f"{row.case.program}: {row.refused}")
        elif row.comparison and not row.comparison.same:
            for one in _worst(row.comparison)[:MOST_TOLD]:
                print(f"{row.case.program}: {one.count} {one.place}; {one.example}")


def _verdict(row: own.Row) -> str:
    if row.comparison is None:
        return "refused"
    return "equal" if row.comparison.same else f"{row.comparison.carried:.2%} of the time differs"


def _cells(row: own.Row) -> list[str]:
    ranks = f"{', '.join(map(str, row.case.few))} to {row.case.many}"
    if row.comparison is None:
        return [row.case.program, row.case.words, ranks, "", "refused", ""]
    one = row.comparison
    return [
        row.case.program,
        row.case.words,
        ranks,
        str(one.operations),
        str(one.equal),
        f"{one.carried:.2%}",
    ]


def _row(row: own.Row) -> dict:
    said = {
        "program": row.case.program,
        "parameters": row.case.words,
        "from": row.case.few,
        "ranks": row.case.many,
    }
    return said | ({"refused": row.refused} if row.comparison is None else _compared(row.comparison))
