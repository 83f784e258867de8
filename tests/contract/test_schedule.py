"""The schedule of an app equals what a run of it does, and its work equals what the description says."""

import copy
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from functools import cache
from math import ceil, log2
from pathlib import Path

import pytest
from contract.operations import difference, operations_of_schedule, operations_of_trace
from support import all_programs

from hakaru.base import topology
from hakaru.base.paths import mpi_flavour, root
from hakaru.facts import native, programs
from hakaru.facts.programs.leaf import Leaf
from hakaru.facts.schedules import Operation, Schedule, walk
from hakaru.facts.schedules.schedule import members
from hakaru.run.launchers.here import launch_here

APPS = [program for program in all_programs() if program.kind == "app"]
RANKS = (1, 2, 3, 4)
LIMIT_S = 60


def variants(app: Leaf) -> list[str]:
    """Lines of the app's ``schedule_cases.txt``: parameters that change the sequence of operations, tried beyond the preset
    "small". FOLDER is an empty one."""
    cases = app.source / "schedule_cases.txt"
    return cases.read_text().splitlines() if cases.is_file() else []


# Calls without an operation of their own, which recorder.c need not see.
LOCAL = (
    "Abort Comm_create_keyval Comm_free Comm_free_keyval Comm_group Comm_rank Comm_set_attr Comm_set_errhandler Comm_size "
    "Error_string File_set_size File_set_view Finalize Finalized Get_count "
    "Get_library_version Group_free Group_incl Initialized Op_create Op_free "
    "Type_commit Type_contiguous Type_create_hindexed Type_create_hvector Type_free Type_size Type_vector Win_free Win_set_errhandler Wtime "
    # Of a counter that ranks draw their work from: runs that have it have no schedule.
    "Fetch_and_op Win_allocate Win_lock Win_unlock"
).split()


def described() -> list[tuple[Leaf, str]]:
    """Programs and parameters that have a schedule: of apps the preset "small" and the variants, of probes the variants alone."""
    small = [(app, "--preset small") for app in APPS]
    return small + [(program, words) for program in all_programs() for words in variants(program)]


def cases() -> list:
    return [
        pytest.param(program, ranks, words, id=f"{program.name} {ranks} {words}")
        for program, words in described()
        for ranks in RANKS
    ]


def assignments(words: str, folder: Path) -> list[str]:
    return words.replace("FOLDER", str(folder)).split()


def write_schedule(app: Leaf, words: list[str], *more: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [app.path, "schedule", *words, *more], capture_output=True, text=True, timeout=LIMIT_S
    )


def schedule_of(app: Leaf, words: list[str], *more: str) -> dict:
    done = write_schedule(app, words, *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def describe(path: Path, words: tuple[str, ...], ranks: int) -> dict:
    done = subprocess.run(
        [path, "describe", *words, "--ranks", str(ranks)], capture_output=True, check=True, timeout=LIMIT_S
    )
    return json.loads(done.stdout)


def refused(app: Leaf, words: list[str], ranks: int) -> bool:
    described = describe(app.path, tuple(words), ranks)
    most = described["limits"]["ranks"]
    return described["evaluated"]["refused"] is not None or (most is not None and ranks > most)


@pytest.fixture(scope="session")
def recorder(tmp_path_factory) -> Path:
    compiler = shutil.which(f"mpicc.{mpi_flavour()}") or shutil.which("mpicc")
    if compiler is None:
        pytest.skip("there is no MPI compiler for C (mpicc)")
    library = tmp_path_factory.mktemp("recorder") / "recorder.so"
    source = Path(__file__).parent / "recorder.c"
    words = ["-O1", "-shared", "-fPIC", f"-I{root()}", "-o", library, source]
    subprocess.run([compiler, *words], check=True, timeout=LIMIT_S)
    return library


def record(app: Leaf, words: list[str], ranks: int, recorder: Path, folder: Path) -> Path:
    """Runs the app with two timed repetitions and one discarded; the folder with what was recorded."""
    folder.mkdir(exist_ok=True)
    launch = launch_here(mpi_flavour(), ranks)
    command = launch.command(["env", f"LD_PRELOAD={recorder}", str(app.path)])
    done = subprocess.run(
        [*command, "run", *words, "--repetitions", "2", "--warmup", "1", "--threads", "1"],
        env=os.environ | launch.variables() | {"HAKARU_RECORDER": str(folder)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def skip_unless_allowed(app: Leaf, words: list[str], ranks: int) -> None:
    if refused(app, words, ranks):
        pytest.skip("the app refuses this number of ranks")


@pytest.mark.parametrize(("app", "ranks", "words"), cases())
def test_schedule_equals_trace(app, ranks, words, recorder, tmp_path):
    words = assignments(words, tmp_path)
    skip_unless_allowed(app, words, ranks)
    if mpi_flavour() == "mpich" and ranks > topology.here().hardware_threads:
        pytest.skip("MPICH busy-polls: more ranks than cores take minutes")
    folder = record(app, words, ranks, recorder, tmp_path / "recorded")
    schedule = schedule_of(app, words, "--ranks", str(ranks), "--repetitions", "2")
    assert difference(operations_of_schedule(schedule), operations_of_trace(folder)) is None


def some(operations: list, **wanted):
    """The first operation, in loops or not, that has these values."""
    for operation in operations:
        if all(operation.get(key) == value for key, value in wanted.items()):
            return operations, operation
        if found := some(operation.get("operations", []), **wanted):
            return found
    return None


DAMAGES = {
    "tag": ("himeno", {"do": "isend"}, lambda all, one: one.update(tag=one["tag"] + 1)),
    "bytes of a message": ("himeno", {"do": "ireceive"}, lambda all, one: one.update(bytes=one["bytes"] + 4)),
    "peer": ("himeno", {"do": "isend"}, lambda all, one: one.update(peer=0)),
    "kind": ("himeno", {"do": "isend"}, lambda all, one: one.update(do="ireceive")),
    "dropped": ("himeno", {"do": "allreduce"}, lambda all, one: all.remove(one)),
    "added": ("himeno", {"do": "allreduce"}, lambda all, one: all.append(one)),
    "collective": ("himeno", {"do": "allreduce"}, lambda all, one: one.update(do="allgather")),
    "bytes of a collective": ("himeno", {"do": "allreduce"}, lambda all, one: one.update(bytes=16)),
    "times": ("himeno", {"do": "repeat"}, lambda all, one: one.update(times=one["times"] + 1)),
    "order": ("himeno", {"do": "ireceive"}, lambda all, one: (all.remove(one), all.append(one))),
    "waits of another": ("himeno", {"do": "wait"}, lambda all, one: all.remove(one)),
    "bytes of a put": ("turbulence", {"do": "put"}, lambda all, one: one.update(bytes=1)),
    "fence": ("turbulence", {"do": "fence"}, lambda all, one: all.remove(one)),
    "root": ("turbulence", {"do": "gather"}, lambda all, one: one.update(root=1)),
    "file": ("turbulence", {"do": "file_write"}, lambda all, one: one.update(bytes=one["bytes"] + 1)),
    "mode of a file": ("turbulence", {"do": "file_open"}, lambda all, one: one.pop("mode")),
    "bytes of a persistent message": ("overlap", {"do": "isend"}, lambda all, one: one.update(bytes=1)),
    "persistent message started once more": ("overlap", {"do": "isend"}, lambda all, one: all.insert(0, one)),
    "wait of a persistent message": ("overlap", {"do": "wait"}, lambda all, one: all.remove(one)),
}
DAMAGED_WORDS = {
    "himeno": "size=custom nx=9 ny=8 nz=7 iterations=3 exchange=packed",
    "turbulence": "n=8 steps=1 transposition=put checkpoint=FOLDER/checkpoint",
    "overlap": "way=persistent n=6 iterations=3",
}


@pytest.fixture(scope="module")
def pairs(recorder, tmp_path_factory) -> dict:
    made = {}
    for app in all_programs():
        if app.name in DAMAGED_WORDS:
            folder = tmp_path_factory.mktemp(app.name)
            words = assignments(DAMAGED_WORDS[app.name], folder)
            traced = operations_of_trace(record(app, words, 2, recorder, folder / "recorded"))
            made[app.name] = schedule_of(app, words, "--ranks", "2", "--repetitions", "2"), traced
    return made


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_changed_schedule_differs(damage, pairs):
    name, wanted, change = DAMAGES[damage]
    if name not in pairs:
        pytest.skip(f"{name} is not built")
    schedule, traced = pairs[name]
    assert difference(operations_of_schedule(schedule), traced) is None
    damaged = copy.deepcopy(schedule)
    for stream in damaged["streams"]:
        if found := some(stream["operations"], **wanted):
            change(*found)
            break
    assert difference(operations_of_schedule(damaged), traced) is not None


@pytest.mark.parametrize("phase", ["begin", "end"])
def test_a_phase_in_the_wrong_place_differs(phase, pairs):
    if "himeno" not in pairs:
        pytest.skip("himeno is not built")
    schedule, traced = copy.deepcopy(pairs["himeno"][0]), pairs["himeno"][1]
    body, mark = some(schedule["streams"][0]["operations"], do=phase, phase="halo")
    at = body.index(mark)
    body[at], body[at + 1 if phase == "begin" else at - 1] = (
        body[at + 1 if phase == "begin" else at - 1],
        body[at],
    )
    assert difference(operations_of_schedule(schedule), traced) is not None


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_every_call_of_an_app_is_recorded(app):
    """A call that the recorder does not know would be missing on both sides."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is missing")
    listed = subprocess.run(
        [nm, "-D", "--undefined-only", app.path], capture_output=True, text=True, check=True
    )
    used = {word for word in listed.stdout.split() if word.startswith("MPI_")}
    text = (Path(__file__).parent / "recorder.c").read_text()
    known = {f"MPI_{name}" for name in LOCAL} | {name for name in used if f"int {name}(" in text}
    assert used <= known, "add these calls to recorder.c"


@pytest.mark.parametrize("ranks", (1, 2, 3, 4, 6, 8))
@pytest.mark.parametrize(
    ("app", "words"),
    described(),
    ids=lambda value: getattr(value, "name", value),
)
def test_described_work_is_that_of_every_operation(app, words, ranks, tmp_path):
    """Descriptions multiply loops and believe what an app says of operations that are alike; here each is added by itself."""
    words = assignments(words, tmp_path)
    skip_unless_allowed(app, words, ranks)
    schedule = schedule_of(app, words, "--ranks", str(ranks))
    counted = totals(schedule)
    described_work = describe(app.path, tuple(words), ranks)
    assert schedule.get("memory_bytes", 0) == int(described_work["evaluated"]["memory_bytes"] / ranks)
    assert [row["phase"] for row in described_work["evaluated"]["phases"]] == [
        phase["name"] for phase in described_work["phases"]
    ]
    for work in described_work["evaluated"]["phases"]:
        for key in ("flops", "bytes", "bytes_write_allocate", "messages", "message_bytes", "calls"):
            assert counted[work["phase"]][key] == pytest.approx(work[key], rel=1e-12), (work["phase"], key)


def totals(schedule: dict) -> dict:
    """Work, messages and entries by phase over all ranks, by the convention in native/schedule/counting_writer.hpp."""
    counted: dict = defaultdict(lambda: defaultdict(float))
    whole = Schedule.of(schedule)
    without_messages = {phase.name for phase in whole.phases if phase.kind == "io"}
    for stream in whole.streams:
        ranks = list(members(stream.ranks))
        phases: list = []
        for operation, _ in walk(stream.operations, repeated=True):
            kind = operation.do
            if kind == "end":
                phases.pop()
                continue
            if kind == "begin":
                phases.append(operation.phase)
                counted[phases[-1]]["calls"] += len(ranks)
            of_phase = counted[phases[-1] if phases else None]
            if kind == "compute":
                for key, value in whole.works[operation.work].as_dict().items():
                    of_phase[key] += len(ranks) * value
            if kind in ("file_read", "file_write"):
                of_phase["bytes"] += len(ranks) * operation.bytes
                of_phase["bytes_write_allocate"] += len(ranks) * operation.bytes
            if phases and phases[-1] not in without_messages:
                number = sum(messages(whole, operation, rank) for rank in ranks)
                of_phase["messages"] += number
                of_phase["message_bytes"] += number * (operation.bytes or 0)
    return counted


def messages(schedule: Schedule, operation: Operation, rank: int) -> int:
    """Messages that leave the rank: an allreduce counts as recursive doubling does."""
    kind = operation.do
    if kind in ("allreduce", "alltoall"):
        size = schedule.group_size(operation.communicator or 0, rank)
        return size - 1 if kind == "alltoall" else ceil(log2(size))
    return int(kind in ("send", "isend", "put", "get", "accumulate"))


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_schedules_validate(app, schema, tmp_path):
    for ranks in RANKS:
        if not refused(app, ["--preset", "small"], ranks):
            schema("schedule")(schedule_of(app, ["--preset", "small"], "--ranks", str(ranks)))


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_output_file_is_what_would_be_printed(app, tmp_path):
    path = tmp_path / "schedule.json"
    words = ["--preset", "small"]
    assert write_schedule(app, words, "--output", str(path)).stdout == ""
    assert path.read_text() == write_schedule(app, words).stdout
    done = write_schedule(app, words, "--output", str(tmp_path / "none" / "schedule.json"))
    assert done.returncode == 4 and "cannot write" in done.stderr


@pytest.mark.parametrize(
    "words",
    [["--ranks", "0"], ["--ranks", "x"], ["--record", "f"], ["nonsense=1"], ["--output"], ["--damage"]],
    ids=" ".join,
)
@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_bad_words_end_with_2(app, words):
    done = write_schedule(app, words)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.strip().splitlines()) == 1


def test_a_layout_that_cannot_run_has_no_schedule():
    app = next((app for app in APPS if app.name == "template_app"), None)
    if app is None:
        pytest.skip("template_app is not built")
    done = write_schedule(app, ["cells=3"], "--ranks", "4")
    assert done.returncode == 2 and "at least one cell" in done.stderr


def test_a_leaf_without_schedule_says_so(program):
    if program.kind == "app":
        pytest.skip("every app has one")
    ranks = "2" if program.needs_mpi else "1"
    done = write_schedule(program, ["--ranks", ranks])
    assert done.returncode == 0 or (done.returncode == 2 and "has no schedule" in done.stderr)


@pytest.mark.parametrize(
    ("name", "words", "ranks"),
    [
        ("heat", "n=9 steps=3 overlap=true", 4),
        ("himeno", "size=custom nx=9 ny=8 nz=11 iterations=3 decomposition=3d exchange=packed", 4),
        ("turbulence", "n=12 steps=1 transposition=alltoall forcing=true", 3),
        ("turbulence", "n=8 steps=1 transposition=put checkpoint=FOLDER/checkpoint", 2),
        ("overlap", "way=persistent n=6 iterations=3", 3),
        ("overlap", "way=put n=5 iterations=3", 3),
    ],
)
def test_hakarus_tracer_sees_what_the_schedule_says(name, words, ranks, tmp_path):
    """Tracer, converter and reader in a row, against the schedule that recorder.c has confirmed."""
    if mpi_flavour() == "mpich" and ranks > topology.here().hardware_threads:
        pytest.skip("MPICH busy-polls: more ranks than cores take minutes")
    app, words = programs.named(name), assignments(words, tmp_path)
    launch = launch_here(mpi_flavour(), ranks)
    program = [str(app.path), "run", *words, "--repetitions", "2", "--warmup", "1", "--threads", "1"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "hakaru", "trace", "--output", tmp_path / "trace", "--"]
        + launch.command(program),
        env=os.environ | launch.variables(),
        capture_output=True,
        text=True,
        timeout=3 * LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    traced = tmp_path / "traced.json"
    subprocess.run(
        [native.tool("hakaru_replay"), tmp_path / "trace" / "archive", "--write", traced], check=True
    )
    schedule = schedule_of(app, words, "--ranks", str(ranks), "--repetitions", "2")
    assert difference(operations_of_schedule(schedule), operations_of_trace(traced)) is None
