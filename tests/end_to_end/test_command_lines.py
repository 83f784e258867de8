"""Every command line in the documents runs as it is written, in a folder of its own, or its page says why it does not."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from pages import (
    LONG,
    NOT_RUN,
    Line,
    documents,
    files_of,
    idle_notes,
    leaf_call,
    lines_of,
    name_of,
    outside,
)

from hakaru.base.errors import UserError
from hakaru.base.paths import build_folder, mpi_flavour, root
from hakaru.facts import programs
from hakaru.run.launchers.here import launch_here

LIMIT_S = 120  # of a line: kit.md compiles for half of it
LONG_LIMIT_S = 1800
DISTURBED = 4  # `hakaru probe` or `collect` refused facts, as on a machine that tests keep busy
MOST_NOT_RUN = 44  # six of them are run by run/batch/test_slurm.py, where there is a Slurm
CAMPAIGN = """
name = "small"
repeats = 2
most_repeats = 2
[[runs]]
program = "turbulence"
parameters = { n = [16, 24, 32], steps = 1 }
layouts = ["1x1", "2x1", "1x2"]
repetitions = 2
"""

pytestmark = pytest.mark.skipif(
    not (root() / "docs").is_dir(), reason="an installed package has no documents"
)
ranks_yield = pytest.mark.skipif(
    mpi_flavour() == "mpich", reason="MPICH busy-polls: more ranks than cores take minutes"
)
HERE = Path(__file__).parent


class Place:
    """A folder as the reader has it: ``./hakaru``, ``build/release``, a program of his own, and results of a few runs."""

    def __init__(self, folder: Path, prepared: Path | None = None):
        self.folder = folder
        launcher = folder / "hakaru"
        launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m hakaru "$@"\n')
        launcher.chmod(0o755)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(build_folder())
        if prepared:
            shutil.copytree(prepared / "hakaru-results", folder / "hakaru-results")
            shutil.copy2(prepared / "your_program", folder)
            shutil.copytree(prepared / "your-trace", folder / "your-trace")

    def run(self, line: str, limit_s: float = LIMIT_S) -> subprocess.CompletedProcess:
        crowded = launch_here("openmpi", 2 * (os.cpu_count() or 1) + 8).variables()
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        several = {
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        }
        return subprocess.run(
            ["bash", "-c", line],
            capture_output=True,
            text=True,
            timeout=limit_s,
            cwd=self.folder,
            env=os.environ | crowded | several | {"PATH": path},
        )

    def must(self, line: str, limit_s: float = LIMIT_S) -> None:
        done = self.run(line, limit_s)
        collected = line.startswith("./hakaru collect") and "while it was probed" in done.stdout + done.stderr
        allowed = (0, DISTURBED) if collected or line.startswith("./hakaru probe") else (0,)
        assert done.returncode in allowed, f"{line}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> Path:
    """A few small runs, a machine file, a program with an MPI library and its trace."""
    place = Place(tmp_path_factory.mktemp("prepared"))
    (place.folder / "small.toml").write_text(CAMPAIGN)
    place.must("./hakaru campaign small.toml")
    shutil.copy2(HERE / "a_machine.toml", place.folder / "hakaru-results" / "machine.toml")
    place.must(f"mpicc -O1 -o your_program {HERE / 'your_program.c'}")
    place.must("./hakaru trace --output your-trace -- mpirun -n 2 ./your_program")
    return place.folder


def pages() -> list[Path]:
    return [path for path in documents() if lines_of(path.read_text())]


def run_page(path: Path, folder: Path, prepared: Path, long: bool) -> None:
    place, text = Place(folder, prepared), path.read_text()
    for name, content in files_of(text).items():
        (folder / name).write_text(content)
    for line in lines_of(text):
        if not line.noted(NOT_RUN) and (long or not line.noted(LONG)):
            place.must(line.text, LONG_LIMIT_S if line.noted(LONG) else LIMIT_S)


@ranks_yield
@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_command_lines_run(path, tmp_path, prepared):
    run_page(path, tmp_path, prepared, long=False)


@ranks_yield
@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [path for path in pages() if any(line.noted(LONG) for line in lines_of(path.read_text()))],
    ids=name_of,
)
def test_long_command_lines_run(path, tmp_path, prepared):
    run_page(path, tmp_path, prepared, long=True)


def leaf_fault(line: str) -> str | None:
    """Why one of our programs would refuse this call, found without a run; None when it would not, or when it is none of ours."""
    call = leaf_call(line)
    if call is None:
        return None
    known = {"--preset", "--threads"} | MORE.get(call.command, set())
    options = dict(zip(call.words, [*call.words[1:], ""], strict=False))
    options = {name: value for name, value in options.items() if name.startswith("-")}
    if wrong := set(options) - known:
        return f"{call.program} {call.command} has no {wrong.pop()}"
    parameters = [word for word in call.words if "=" in word and not word.startswith("input=")]
    ranks, threads = options.get("--ranks", str(call.ranks)), options.get("--threads", "1")
    try:
        programs.named(call.program).describe(
            programs.parse_assignments(parameters), int(ranks), int(threads), options.get("--preset")
        )
    except UserError as error:
        return str(error)
    return None


MORE = {
    "run": {"--repetitions", "--warmup", "--record", "--context", "--campaign"},
    "verify": {"--record", "--context", "--damage"},
    "schedule": {"--ranks", "--repetitions", "--output"},
    "describe": {"--ranks"},
    "help": set(),
}


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_programs_know_their_parameters_also_where_they_are_not_run(path):
    found = {line.text: leaf_fault(line.text) for line in lines_of(path.read_text())}
    assert not {line: why for line, why in found.items() if why}


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_command_lines_stand_where_they_are_found(path):
    assert not outside(path.read_text())
    assert not idle_notes(path.read_text())


def test_lines_that_are_not_run_are_few():
    """Lists them (``pytest -rP``): a line without a run is a promise that nobody checks."""
    lines = [line for path in pages() for line in lines_of(path.read_text())]
    left = [line for line in lines if line.noted(NOT_RUN)]
    for reason, count in Counter(line.noted(NOT_RUN) for line in left).items():
        print(f"{count} not run: {reason}")
    print(f"{len(lines)} command lines, {sum(bool(line.noted(LONG)) for line in lines)} by --all only")
    assert len(lines) > 60 and len(left) <= MOST_NOT_RUN


@pytest.mark.parametrize(
    "line",
    [
        "build/release/bin/heat run --preset tiny",
        "build/release/bin/heat run m=3",
        "build/release/bin/heat run n=8 --repetition 1",
        "./hakaru predict turbulence n=128 --rank 2",
        "./hakaru campaign gone.toml",
        "./hakaru replay schedule:turbulence,m=3 --ranks 4 --machine fx1",
    ],
)
def test_a_wrong_line_fails(line, tmp_path):
    with pytest.raises(AssertionError):
        Place(tmp_path).must(line)


@pytest.mark.parametrize(
    "words", ["heat run --preset tiny", "heat run m=3", "heat run --repetition 1", "heat schedule --record x"]
)
def test_a_wrong_call_is_seen_without_a_run(words):
    assert leaf_fault(f"mpirun -n 2 build/release/bin/{words}")
    assert leaf_fault("mpirun -n 2 build/release/bin/heat run n=8 --preset small --repetitions 2") is None


PAGE = """<!-- not run (lab): needs root -->
<!-- long (bench): minutes -->
```sh
./hakaru lab up   # a cluster
./hakaru bench
./hakaru records
```
```
$ ./hakaru machines
fx1
mpirun -n 2 ./a
```
"""


def test_notes_choose_lines():
    lab, bench, records, machines = lines_of(PAGE)
    assert (lab.noted(NOT_RUN), bench.noted(LONG)) == ("needs root", "minutes")
    assert records == Line("./hakaru records") and machines.text == "./hakaru machines"
    assert outside(PAGE) == ["mpirun -n 2 ./a"]


def test_a_note_for_nothing_is_seen():
    assert not idle_notes(PAGE)
    assert [note.text for note in idle_notes(PAGE.replace("(lab)", "(tune)"))] == ["needs root"]
