"""From a launch line to a tuning that is stored."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.files import write_json_atomically
from hakaru.base.paths import results_folder
from hakaru.facts.records import new_id
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.known import DIRECT, launcher, said_by
from hakaru.run.measuring import by_name
from hakaru.run.tune import settings as known
from hakaru.run.tune.session import Tuning, tune
from hakaru.run.tune.timed import Timed, check_pattern

OLDEST = 4  # major version of an MPI library that says none


def run(
    command: Sequence[str],
    pattern: str | None,
    rounds: int,
    pairs: int,
    collectives: Sequence[str] | None,
    results: Path | None,
    say: Callable[[str], None],
) -> tuple[Tuning, Path]:
    """The tuning and the file that holds it. Raises UserError when nothing can be launched."""
    results = results_folder(results).absolute()  # a program that is named is run in its own folder
    if not command:
        raise UserError("nothing to tune", "no command was given", "hakaru tune -- mpirun -n 8 ./program")
    check_pattern(pattern)
    settable = known.collectives() if collectives else []
    for name in collectives or ():
        if name not in settable:
            raise UserError(
                f"there is no collective '{name}'",
                f"known are: {', '.join(settable)}",
                "choose one of them",
            )
    line = CommandLine.read(by_name.entered(command))
    chosen = known.choose(line, _version(line), collectives)
    if not line.executable.mpi and not line.executable.static and line.launch.launcher == DIRECT:
        raise UserError(
            f"{line.executable.path} seems to use no MPI",
            "no launcher and no MPI library were found",
            "hakaru tune -- mpirun -n 8 ./program",
        )
    say(f"{chosen.library}: {len(chosen.settings)} settings")
    tuning = Tuning(chosen.library, told=chosen.told)
    tune(chosen.settings, Timed(line, pattern), tuning, say, rounds, pairs)
    path = results_folder(results) / "tunings" / f"{new_id('tuning')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json_atomically(path, tuning.as_dict() | {"command": list(command)})
    return tuning, path


def _version(line: CommandLine) -> int:
    """Major version of its launcher; 4 where it says none."""
    own = launcher(line.launch.launcher)
    return own.version(said_by(line.words[0])) or OLDEST if own.library else OLDEST
