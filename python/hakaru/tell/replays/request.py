"""What ``hakaru replay`` does: checks what was asked for, answers it, shows and stores the answer."""

import dataclasses
import shlex
import sys
import tempfile
from pathlib import Path

import msgspec
import typer

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.work import Parameters, Work
from hakaru.foretell.elsewhere import held
from hakaru.foretell.replay import forecast, session, settable, store
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay.calibration import Calibration, calibrate
from hakaru.foretell.replay.choices import LIBRARIES, LINKS, SENDS, WAYS
from hakaru.foretell.replay.documents.answer import Answer, Setting
from hakaru.foretell.replay.engine import Engine, engine
from hakaru.foretell.replay.question import Choices, Question
from hakaru.foretell.replay.sends import Change
from hakaru.foretell.replay.what_if import Share
from hakaru.tell.replays import display
from hakaru.tell.replays.options import Request
from hakaru.tell.replays.submitted import submit


def answer(request: Request) -> None:
    """Does what was asked. Raises UserError, and typer.Exit(130) after Ctrl-C, when what is done is kept."""
    from hakaru.base.paths import results_folder

    results = results_folder(request.results)
    request = _with_way(request, results)
    _check_options(request)
    if request.submit:
        submit(request, results)
        return
    tool = engine(store.kept(results))
    with tempfile.TemporaryDirectory(prefix="hakaru-replay-") as folder:
        given = sources.find(request.source, request.ranks, request.threads, Path(folder))
        if request.check:
            _check(tool, given, request)
            return
        machine, told = _machine(request, results)
        given = _with_work(given, request, tool)
        archive = request.otf2 or (Path(folder) / "archive" if request.timeline else None)
        question = Question(given, _choices(request, results, given), tool, request.critical_path, archive)
        base = session.replay(question, machine, told)
        _show_recorded(request, archive, base)
        if request.share:
            _share(question, machine, base, request, results)
        elif request.sweeps:
            _sweep(question, machine, base, request, results)
        elif request.sensitivity:
            _sensitivity(question, machine, base, request, results)
        else:
            _single(question, machine, base, request, results)


def _with_way(request: Request, results: Path) -> Request:
    """Nobody chose how computing is priced: a trace of the probed machine is carried to another, anything else stays as it is."""
    if request.compute is not None:
        return request
    traced = not request.source.startswith(sources.PREFIX) and not request.source.endswith(".json")
    probed = request.traced_on or (results / "machine.toml").is_file()
    moves = request.machine != (request.traced_on or "here") and request.compute_factor is None
    if not (traced and probed and moves) or request.phases:
        return dataclasses.replace(request, compute=WAYS[0])
    way = "roofline" if request.work else "carried"
    return dataclasses.replace(request, compute=way, traced_on=request.traced_on or "here")


def _check_options(request: Request) -> None:
    if request.compute not in WAYS:
        raise UserError(
            f"there is no way '{request.compute}' of pricing computing",
            f"known are {', '.join(WAYS)}",
            "choose one of them",
        )
    if request.links not in LINKS:
        raise UserError(
            f"links cannot be shared by '{request.links}'",
            f"known are {', '.join(LINKS)}",
            "choose one of them",
        )
    if request.mpi not in LIBRARIES:
        raise UserError(
            f"there is no MPI library '{request.mpi}'",
            f"known are {', '.join(LIBRARIES)}",
            "choose one of them",
        )
    if request.sends not in (None, *SENDS):
        raise UserError(
            f"there are no '{request.sends}' sends", f"known are {', '.join(SENDS)}", "choose one of them"
        )
    if request.sends and request.check:
        raise UserError(
            "--sends is given", "--check looks at the sends as they are", "leave one of them away"
        )
    if request.phases and request.compute != "phases":
        raise UserError(
            "--phase is given", f"computing is priced by {request.compute}", "add --compute phases"
        )
    if request.compute == "phases" and not request.phases:
        raise UserError(
            "no phase is named",
            "--compute phases needs a factor for one phase or more",
            "add --phase stencil=0.5",
        )
    if request.sweeps and request.sensitivity:
        raise UserError("a sweep and a sensitivity", "one picture at a time", "leave one of them away")
    if (request.otf2 or request.timeline) and (request.sweeps or request.sensitivity or request.check):
        raise UserError(
            "--otf2 or --timeline is given",
            "they show one replay",
            "leave --check, --sweep and --sensitivity away",
        )
    if request.share and not (request.sweeps or request.sensitivity):
        raise UserError("--share is given", "one replay has no parts", "add --sweep or --sensitivity")
    if request.submit and (request.share or not (request.sweeps or request.sensitivity)):
        why = "each job makes a share" if request.share else "one replay has no parts"
        raise UserError("--submit is given", why, "leave --share away, and add --sweep or --sensitivity")
    if (request.site or request.dry_run) and not request.submit:
        raise UserError("--site or --dry-run is given", "nothing is submitted", "add --submit N")
    if request.page and not request.sweeps:
        raise UserError(
            "--page is given", "a page shows a sweep", "add --sweep network.node.latency=1us..100us"
        )
    if (
        request.seed is not None
        and not request.noise
        and not any(settable.NOISE in word for word in request.sweeps + request.settings)
    ):
        raise UserError("--seed is given", "nothing is drawn without noise", "add --noise 2us")


def _machine(request: Request, results: Path) -> tuple[Machine, list[Setting]]:
    from hakaru.facts.machines.files import resolve

    machine = Machine.load(resolve(request.machine, results))
    words = list(request.settings)
    if request.compute_factor is not None:
        words.append(f"{settable.COMPUTE}={request.compute_factor!r}")
    return settable.with_settings(machine, words)


def _choices(request: Request, results: Path, given: sources.Source) -> Choices:
    from hakaru.facts.machines.files import resolve

    collectives = {}
    for word in request.collectives:
        name, equals, way = (part.strip() for part in word.partition("="))
        if not equals or not name or not way:
            raise UserError(
                f"'{word}' is not understood",
                "a collective gets an algorithm",
                "write --collective alltoall=pairwise",
            )
        collectives[name] = way
    return Choices(
        request.network,
        collectives,
        request.ranks_per_node,
        request.compute,
        tuple(request.phases),
        Machine.load(resolve(request.traced_on, results)) if request.traced_on else None,
        request.noise,
        request.seed,
        _calibration(request, results, given) if request.compute == "measured" else None,
        request.sharing,
        request.links,
        request.mpi,
        Change(request.sends) if request.sends else None,
    )


def _calibration(request: Request, results: Path, given: sources.Source) -> Calibration:
    from hakaru.facts.machines.files import resolve
    from hakaru.facts.records import RecordStore
    from hakaru.foretell.forecast import evaluate
    from hakaru.foretell.replay.levels import Told

    if given.evaluated is None or given.kind != "schedule":
        raise UserError(
            "--compute measured is for programs of hakaru",
            "their runs say how long each phase takes",
            "replay schedule:PROGRAM,n=128",
        )
    records = RecordStore(results).all(program=given.program)
    ranks = given.ranks

    def describe(parameters: Parameters) -> Work:
        return evaluate(given.program, parameters, ranks, given.threads)

    measured_on = Machine.load(resolve(request.traced_on or "here", results))
    return calibrate(records, given.evaluated, describe, measured_on, Told())


def _with_work(given: sources.Source, request: Request, tool: Engine) -> sources.Source:
    """The source with the work counts of the program that a trace is of."""
    if not request.work:
        return given
    name, *words = [part.strip() for part in request.work.split(",")]
    ranks = given.ranks or tool.ranks(given.path)
    evaluated = programs.named(name).work(programs.parse_assignments(words), ranks, given.threads)
    return dataclasses.replace(
        given,
        program=name,
        parameters=evaluated.parameters,
        work=sources.work_of(evaluated),
        evaluated=evaluated,
    )


def _check(tool: Engine, given: sources.Source, request: Request) -> None:
    from hakaru.base.output import print_json

    found = tool.check(given.path)
    if request.as_json:
        print_json(found.as_dict())
        return
    print(
        f"{given.name} on {found.ranks} ranks can progress to its end, "
        f"and nothing of {found.messages} messages is left over."
    )
    if found.relies_on_buffering:
        print(f"It relies on standard sends being buffered. Without buffers: {found.detail}")


def _single(question: Question, machine: Machine, base: Answer, request: Request, results: Path) -> None:
    from hakaru.base.output import print_json
    from hakaru.foretell.forecast import ForecastStore

    here = request.machine == "here"
    reason = forecast.why_not(question, machine, base.set, here)
    made = forecast.forecast(question, machine, base) if reason is None else None
    base = msgspec.structs.replace(base, forecast=made.id if made else None)
    path = store.write(results, base)
    stored = ForecastStore(results).write(made) if made else None
    if request.as_json:
        print_json(base.as_dict())
        return
    display.print_answer(base)
    if request.compute == "carried" and question.source.kind == "trace":
        factor = question.documents(machine, base.input.ranks).compute.carried
        print(f"Interval: {units.seconds_interval(held.of_answer(base, factor))}; {held.why()}.")
    if made:
        print(f"Forecast {units.seconds_interval(made.time_s)}: {stored}; a run of it here will score it.")
    else:
        print(f"No forecast: {reason}.")
    print(f"Stored: {path}")


def _show_recorded(request: Request, archive: Path | None, base: Answer) -> None:
    """The page over time, and where the archive is."""
    if request.timeline:
        from hakaru.tell.replays.recorded import write_timeline

        write_timeline(request.timeline, archive, request.otf2, base)
        print(f"page: {request.timeline}", file=sys.stderr)
    if request.otf2:
        print(f"archive: {request.otf2}", file=sys.stderr)


def _sweep(question: Question, machine: Machine, base: Answer, request: Request, results: Path) -> None:
    from hakaru.base.output import print_json
    from hakaru.tell.replays.replay_page import write_page

    found = session.sweep(question, machine, base, request.sweeps, request.jobs)
    path = store.write(results, found)
    page = session.page_path(results, found.id, request.page)
    write_page(page, found, shlex.join(["hakaru", *sys.argv[1:]]))
    if request.as_json:
        print_json(found.as_dict())
    else:
        display.print_attention(base)
        display.print_sweep(found)
        print(f"Stored: {path}\nPicture: {page}")
    _end(found.complete)


def _share(question: Question, machine: Machine, base: Answer, request: Request, results: Path) -> None:
    share = Share.of(request.share or "")
    done, complete = session.make_share(question, machine, base, request.sweeps, request.jobs, share)
    kept = store.kept(results)
    print(
        f"part {share.number} of {share.parts}: {units.count(done, 'replay')} kept in {kept}", file=sys.stderr
    )
    _end(complete)


def _sensitivity(question: Question, machine: Machine, base: Answer, request: Request, results: Path) -> None:
    from hakaru.base.output import print_json

    found = session.sensitivity(question, machine, base, request.jobs)
    path = store.write(results, found)
    if request.as_json:
        print_json(found.as_dict())
    else:
        display.print_attention(base)
        display.print_sensitivity(found, base.time_s)
        display.print_basis(base)
        print(f"Stored: {path}")
    _end(found.complete)


def _end(complete: bool) -> None:
    """After Ctrl-C the command line says that what had finished is kept and that the same command goes on."""
    if not complete:
        from hakaru.base.output import INTERRUPTED

        raise typer.Exit(INTERRUPTED)
