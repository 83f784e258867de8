"""The command ``hakaru measure``."""

import shlex
import subprocess
import sys
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, VERIFICATION, UserError
from hakaru.base.files import write_atomically
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.facts import programs
from hakaru.facts.programs import command as commands
from hakaru.facts.programs.file import ProgramFile
from hakaru.facts.records import RecordStore
from hakaru.run.campaign.plan import Layout, Plan, Runs, points_of
from hakaru.run.campaign.runner import Outcome, dry_run, run_plan
from hakaru.run.power import command as meter_command
from hakaru.tell import dry_run as dry
from hakaru.tell.measured import display, fits, typed
from hakaru.tell.measured.options import Request


def measure(request: Request) -> int:
    """The exit code. Raises UserError for what cannot be measured."""
    meter_command.use(request.meter)
    file = program_file(request)
    if request.save:
        _save(file, request.save)
    if request.build or file.build:
        _build(file, request.build)
    store = RecordStore(results_folder(request.results))
    program = commands.keep(file, store.folder)
    plan = plan_of(program, file, request)
    if request.dry_run:
        dry.show(dry_run(plan, store), request.as_json)
        return 0
    fits.require(points_of(plan), store)
    outcome = run_plan(plan, store)
    _tell(program, outcome, request)
    if not outcome.complete:
        return ENVIRONMENT
    return VERIFICATION if display.wrong(outcome) else 0


def program_file(request: Request) -> ProgramFile:
    words = list(request.words)
    if not words:
        example = "hakaru measure --size n=8,12,16 --ranks 1,2 -- mpirun -n {ranks} ./program -s {n}"
        raise UserError("nothing to measure", "no command was given", example)
    known = _known(words, request)
    if known:
        _refuse_line_options(request, words[0])
        return known
    return typed.file_of(
        words,
        name=request.name,
        sizes=typed.values_of(request.size, "--size"),
        steps=typed.values_of(request.steps, "--steps"),
        others=typed.values_of(request.set_, "--set"),
        time=request.time,
        region=request.region,
        phases=request.phase,
        checks=request.check,
        metrics=request.metric,
        ranks=typed.integers(request.ranks, "--ranks") if request.ranks else None,
        threads=typed.integers(request.threads, "--threads") if request.threads else None,
        trace=not request.no_trace,
        timeout_s=request.timeout_s,
    )


def _known(words: list[str], request: Request) -> ProgramFile | None:
    """The program file that the only word names, or the program of that name in the results folder."""
    if len(words) > 1:
        return None
    path = Path(words[0])
    if path.suffix == ".toml":
        return ProgramFile.read(path)
    kept = results_folder(request.results) / commands.FOLDER / f"{words[0]}.toml"
    return ProgramFile.read(kept) if kept.is_file() else None


def _refuse_line_options(request: Request, word: str) -> None:
    given = {
        "--time": request.time,
        "--region": request.region,
        "--phase": request.phase,
        "--check": request.check,
    }
    given |= {"--metric": request.metric, "--name": request.name, "--steps": request.steps}
    for option, value in given.items():
        if value:
            raise UserError(
                f"{option} cannot be used with {word}", "its file says it", "write it into the file"
            )


def plan_of(program: commands.Command, file: ProgramFile, request: Request) -> Plan:
    values = dict(file.measure.parameters)
    values |= typed.values_of([*request.size, *request.set_], "--size") | typed.values_of(
        request.steps, "--steps"
    )
    ranks = typed.integers(request.ranks, "--ranks") if request.ranks else list(file.measure.ranks)
    threads = typed.integers(request.threads, "--threads") if request.threads else list(file.measure.threads)
    ranks = ranks or [commands.typed_ranks(file) or 1]
    layouts = [Layout(one, other) for one in ranks for other in threads or list(file.threads[:1]) or [1]]
    repeats = request.repeats or file.measure.repeats
    runs = Runs(program=program.name, parameters=_typed(file, values), layouts=layouts)
    return Plan(
        name=f"measure-{program.name}-{commands.fingerprint(file)}-{commands.asked_of_output(file)}",
        repeats=repeats,
        most_repeats=max(request.most_repeats or repeats, repeats),
        timeout_s=file.timeout_s,
        runs=[runs],
    )


def _typed(file: ProgramFile, values: typed.Values) -> typed.Values:
    """Values as their parameters have them. Raises UserError for those that cannot be."""
    found: typed.Values = {}
    for name, some in values.items():
        found[name] = list(dict.fromkeys(commands.values_of(file, {name: value})[name] for value in some))
    return found


def _save(file: ProgramFile, path: Path) -> None:
    text = f"# {programs_guide()}\n{file.as_toml()}".encode()
    write_atomically(path, lambda out: out.write(text))
    print(
        f"hakaru: {path} says what was typed; measure it again with: hakaru measure {path}", file=sys.stderr
    )


def programs_guide() -> str:
    return "A program of hakaru; docs/how-to/your-program.md says what may be written."


def _build(file: ProgramFile, asked: bool) -> None:
    """Builds where that was asked for, or where the program is not there."""
    if not file.build:
        raise UserError(
            f"{file.name} says no build command", "--build was given", "write build = ... into its file"
        )
    try:
        typed.program_name(shlex.split(file.command), Path(file.folder))
        there = True
    except UserError:
        there = False
    if there and not asked:
        return
    print(f"hakaru: building {file.name}: {file.build}", file=sys.stderr)
    done = subprocess.run(
        shlex.split(file.build), cwd=file.folder or None, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        raise UserError(
            f"{file.name} could not be built",
            f"'{file.build}' ended with status {done.returncode}",
            "mend it",
            ENVIRONMENT,
        )


def _tell(program: programs.Program, outcome: Outcome, request: Request) -> None:
    if request.as_json:
        print_json(display.as_dict(program, outcome))
    else:
        display.show(program, outcome)
