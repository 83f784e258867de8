"""From a launch line to a tuning that is stored."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.files import write_json_atomically
from hakaru.base.paths import results_folder
from hakaru.facts.records import new_id
from hakaru.run.tracing.launch_line import LaunchLine, read
from hakaru.run.tune import settings as known
from hakaru.run.tune.launches import Launcher, check_pattern
from hakaru.run.tune.session import Tuning, tune


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
    if not command:
        raise UserError("nothing to tune", "no command was given", "hakaru tune -- mpirun -n 8 ./program")
    check_pattern(pattern)
    for name in collectives or ():
        if name not in known.OPEN_MPI:
            raise UserError(
                f"there is no collective '{name}'",
                f"known are: {', '.join(known.OPEN_MPI)}",
                "choose one of them",
            )
    line = read(list(command))
    chosen = known.choose(line, _version(line), collectives)
    if not line.program.mpi and not line.program.static and line.kind == "direct":
        raise UserError(
            f"{line.program.path} seems to use no MPI",
            "no launcher and no MPI library were found",
            "hakaru tune -- mpirun -n 8 ./program",
        )
    say(f"{chosen.library}: {len(chosen.settings)} settings")
    tuning = Tuning(chosen.library, told=chosen.told)
    tune(chosen.settings, Launcher(command, pattern), tuning, say, rounds, pairs)
    path = results_folder(results) / "tunings" / f"{new_id('tuning')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json_atomically(path, tuning.as_dict() | {"command": list(command)})
    return tuning, path


def _version(line: LaunchLine) -> int:
    try:
        said = subprocess.run([line.command[0], "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return 4
    return known.version_of(said.stdout + said.stderr)
