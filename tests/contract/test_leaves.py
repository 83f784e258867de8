"""The leaf contract, held by every app and probe that is built."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support import all_programs, start, verified

from hakaru.base import topology
from hakaru.base.paths import mpi_flavour
from hakaru.facts import programs
from hakaru.facts.description import Description
from hakaru.facts.programs.leaf import Leaf
from hakaru.facts.records.record import WAIT
from hakaru.run.launchers.here import launch_here

WITHOUT_MPI = [program for program in all_programs() if not program.needs_mpi]
LAYOUTS = [(ranks, threads) for ranks in (1, 2, 3, 4) for threads in (1, 2)]


def allowed(program: Leaf, ranks: int, threads: int) -> bool:
    """Whether the leaf's own description lets it run like this; MPICH busy-polls, so that more ranks than cores take minutes."""
    if ranks > 1 and not program.needs_mpi:
        return False
    if os.environ.get("HAKARU_MPI") == "mpich" and ranks * threads > topology.here().hardware_threads:
        return False
    return program.describe().limits.exceeded(ranks, threads) is None


def test_description_validates(program, schema):
    for words in ([], ["--preset", "small"]):
        text = start(program, ["describe", *words]).stdout
        schema("description")(json.loads(text))
        assert Description.parse(text).name == program.name


def test_help_is_complete(program):
    text = start(program, ["help"]).stdout
    described = program.describe()
    for part in ("parameters", "presets", "phases", "metrics"):
        for entry in getattr(described, part):
            assert entry.name in text, f"{part} {entry.name} is missing from help"
    for option in (
        "--threads",
        "--repetitions",
        "--warmup",
        "--record",
        "--context",
        "--damage",
        "--preset",
        "--ranks",
    ):
        assert option in text


def test_folder_is_complete(program):
    assert (program.source / "README.md").read_text().startswith(f"# {program.name}")
    if program.kind == "probe":
        readme = (program.source / "README.md").read_text().lower()
        for part in ("formula", "rules", "mislead"):
            assert part in readme, f"the README of a probe says its {part}"


def layouts() -> list:
    return [
        pytest.param(program, ranks, threads, id=f"{program.name}-{ranks}x{threads}")
        for program in all_programs()
        for ranks, threads in LAYOUTS
        if allowed(program, ranks, threads)
    ]


@pytest.mark.parametrize(("program", "ranks", "threads"), layouts())
def test_verify_passes(program, ranks, threads, schema, tmp_path_factory):
    done = verified(program, ranks, threads, tmp_path_factory)
    assert done.exit_code == 0, done.output
    record = json.loads(done.record)
    schema("record")(record)
    assert record["status"] == "ok" and record["verdict"] == "passed" and record["checks"]
    assert record["layout"]["ranks"] == ranks and record["layout"]["threads"] == threads
    assert len(record["layout"]["binding"]) == ranks
    assert all(len(entry["threads"]) == threads for entry in record["layout"]["binding"])
    assert record["layout"]["oversubscribed"] == (ranks * threads > topology.here().hardware_threads)


def test_damaged_result_fails(program, schema, record_file):
    done = start(program, ["verify", "--preset", "small", "--damage", "--record", str(record_file)])
    assert done.returncode == 3, done.stdout + done.stderr
    record = json.loads(record_file.read_text())
    schema("record")(record)
    assert record["status"] == "failed" and record["verdict"] == "failed"
    assert any(not check["passed"] for check in record["checks"])


def test_run_writes_a_valid_record(program, schema, record_file, tmp_path):
    described = program.describe(preset="small")
    ranks = 2 if described.evaluated.refused else 1
    context = tmp_path / "context.json"
    context.write_text('{"launch_line": "by hand"}')
    done = start(
        program, ["run", "--preset", "small", "--record", str(record_file), "--context", str(context)], ranks
    )
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads(record_file.read_text())
    schema("record")(record)
    assert record["verdict"] in ("passed", "not verified") and record["repetitions"]
    assert record["context"] == {"launch_line": "by hand"}
    described = program.describe(preset="small")
    names = {phase.name for phase in described.phases} | {WAIT}
    for repetition in record["repetitions"]:
        assert set(repetition["phases"]) == names
        for rank in range(ranks):
            claimed = sum(seconds[rank] for name, seconds in repetition["phases"].items() if name != WAIT)
            assert claimed <= repetition["rank_s"][rank] * 1.001 + 1e-6, (
                "phases are exclusive, so they cannot exceed the rank's time"
            )


def test_work_names_described_phases(program):
    described = program.describe(preset="small")
    if described.evaluated.refused:
        described = program.describe(ranks=2, preset="small")
    phases = {phase.name for phase in described.phases}
    assert {work.phase for work in described.evaluated.phases} <= phases
    assert described.evaluated.size > 0


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense=1"],
        ["run=1"],
        ["--nonsense"],
        ["--threads", "0"],
        ["--threads", "x"],
        ["--repetitions", "0"],
        ["--preset", "none"],
        ["--ranks", "2"],
        ["--record"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_bad_words_end_with_2(program, words):
    done = subprocess.run([program.path, "run", *words], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.strip().splitlines()) == 1


LIMIT = 60


def bad_values() -> list[tuple[Leaf, str]]:
    cases = []
    for program in all_programs():
        for parameter in program.describe().parameters:
            name = parameter.name
            if parameter.type in ("integer", "real"):
                words = [f"{name}=abc", f"{name}=", f"{name}=1e999", f"{name}=nan"]
                words += (
                    [f"{name}={parameter.minimum - 1}"] if parameter.type == "integer" else [f"{name}=-1e308"]
                )
            elif parameter.type == "choice":
                words = [f"{name}=no-such-choice"]
            elif parameter.type == "boolean":
                words = [f"{name}=perhaps"]
            else:
                words = []
            cases += [(program, word) for word in words]
    return cases


@pytest.mark.parametrize("case", bad_values(), ids=lambda case: f"{case[0].name} {case[1]}")
def test_bad_values_end_with_2(case):
    program, word = case
    done = subprocess.run([program.path, "run", word], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 2, done.stdout + done.stderr
    assert word.partition("=")[0] in done.stderr and ";" in done.stderr


def test_unknown_command_ends_with_2(program):
    done = subprocess.run([program.path, "fly"], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 2 and "describe, run, verify" in done.stderr


def test_unwritable_record_ends_with_4(program, tmp_path):
    done = start(
        program,
        ["run", "--preset", "small", "--record", str(tmp_path / "none" / "record.json")],
        2 if program.name == "messages" else 1,
    )
    assert done.returncode == 4 and done.stderr.count("cannot write") == 1, done.stderr


def test_a_second_value_ends_with_2(program):
    name = program.describe().parameters[0].name
    value = programs.assignments({name: program.describe().evaluated.parameters[name]})[0]
    done = start(program, ["run", value, value])
    assert done.returncode == 2 and f"{name} is given twice" in done.stderr


def copies_of(program: Leaf, words: list[str]) -> subprocess.CompletedProcess:
    """Two copies under a launcher that they do not know, which tells them so in their environment."""
    environment = os.environ | {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run(
        [program.path, *words], capture_output=True, text=True, timeout=LIMIT, env=environment
    )


@pytest.mark.parametrize("command", ["run", "verify"])
def test_copies_that_disturb_each_other_are_refused(program, command):
    done = copies_of(program, [command, "--preset", "small"])
    expected = 4 if program.needs_mpi else 2
    assert done.returncode == expected, done.stdout + done.stderr
    assert "was started 2 times at once" in done.stderr and done.stdout == ""
    assert copies_of(program, ["describe"]).returncode == 0, "only runs disturb each other"


@pytest.mark.skipif(os.environ.get("HAKARU_MPI") == "mpich", reason="its launcher is called differently")
@pytest.mark.parametrize("program", WITHOUT_MPI, ids=lambda program: program.name)
def test_mpirun_does_not_start_copies_of_what_needs_no_mpi(program, record_file):
    launch = launch_here(mpi_flavour(), 2, 1)
    words = ["run", "--preset", "small", "--record", str(record_file)]
    done = subprocess.run(
        launch.command([str(program.path), *words]),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env=os.environ | launch.variables(),
    )
    assert done.returncode == 2 and done.stderr.count("was started 2 times at once") == 1, done.stderr
    assert not record_file.exists()


def test_context_must_be_an_object(program, record_file, tmp_path):
    context = tmp_path / "context.json"
    context.write_text("[1, 2")
    done = start(
        program, ["run", "--preset", "small", "--record", str(record_file), "--context", str(context)]
    )
    assert done.returncode == 2 and "not a JSON object" in done.stderr


def wait_until_prepared(pid: int) -> None:
    """Until the program catches what the harness catches: before, MPI is starting and there is no record to leave."""
    wanted = sum(1 << (number - 1) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        status = Path(f"/proc/{pid}/status").read_text()
        caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
        if caught & wanted == wanted:
            return
        time.sleep(0.05)
    raise AssertionError("the program never prepared for signals")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGSEGV], ids=lambda sent: sent.name)
def test_signal_leaves_a_failed_record(program, sent, schema, record_file):
    """A rank ended by a signal leaves a failed record, not a hang and not a half-written file."""
    if program.describe().evaluated.refused:
        pytest.skip("at one rank it has nothing to run")
    process = subprocess.Popen(
        [program.path, "run", "--record", str(record_file), "--repetitions", "1000000"],
        env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_prepared(process.pid)
        process.send_signal(sent)
        process.wait(timeout=30)
    finally:
        process.kill()
    assert process.returncode != 0
    record = json.loads(record_file.read_text())
    schema("record")(record)
    assert record["status"] == "failed" and record["failure"]["reason"] == f"ended by signal {sent.name}"
    assert record["failure"]["exit_code"] == 128 + sent
    assert not list(record_file.parent.glob("*.part"))
