"""Anybody's programs, measured from a typed line: what is recorded, and what happens when they misbehave."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hakaru.base import processes
from hakaru.base.errors import UserError
from hakaru.base.paths import build_folder, root
from hakaru.facts.records import RecordStore
from hakaru.run.launchers import command_line
from hakaru.run.launchers.executable import Executable
from hakaru.run.tracing import run as tracing_run
from hakaru.tell.measured.command import Request, measure, program_file

SCRIPT = """#!/bin/bash
# a program that says what it does
case "$2" in
  hang) sleep 60;;
  fail) echo "there is no water in it"; exit 3;;
  wrong) echo "Elapsed time = 0.5"; echo "energy = 2.0"; exit 0;;
  silent) exit 0;;
  *) echo "read: 100 ms"; echo "Elapsed time = $1"; echo "energy = 1.0"; echo "FOM = 42";;
esac
"""


@pytest.fixture
def program(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAKARU_RESULTS", str(tmp_path / "results"))
    path = tmp_path / "sim.sh"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    return path


def run(*words, **more):
    given = {"time": r"Elapsed time = ([0-9.]+)", "repeats": 1, "as_json": True} | more
    return measure(Request(words, **given))


def records(results="results"):
    return RecordStore(Path(results)).all()


def test_what_it_prints_is_in_the_record(program, capsys):
    asked = {
        "size": ["n=1,2,4"],
        "check": ["energy = ([0-9.]+) == 1.0 +- 1e-9"],
        "metric": [r"fom=FOM = (\d+)"],
    }
    assert run("./sim.sh", "{n}", "go", phase=[], **asked) == 0
    found = records()
    assert sorted(one.wall_s for one in found) == [1.0, 2.0, 4.0]
    assert {one.work.size for one in found} == {1.0, 2.0, 4.0}
    assert all(one.verdict == "passed" and one.metric("fom").samples == (42.0,) for one in found)
    assert all(one.memory.rank_peak_bytes[0] > 100_000 for one in found)
    told = json.loads(capsys.readouterr().out)
    assert told["complete"] and len(told["points"]) == 3


def test_times_of_parts_are_phases(program):
    run("./sim.sh", "{n}", "go", size=["n=2"], phase=[r"reading=read: (\d+) ms"])
    (one,) = records()
    assert [phase.name for phase in one.phases] == ["reading"]
    assert one.repetitions[0].phases["reading"] == (2.0,)  # never more than the whole


def test_a_wrong_result_is_no_sample(program, capsys):
    asked = {"size": ["n=2"], "check": ["energy = ([0-9.]+) == 1.0 +- 1e-9"]}
    assert run("./sim.sh", "{n}", "wrong", **asked) == 3
    (one,) = records()
    assert one.verdict == "failed" and not one.is_sample
    capsys.readouterr()
    assert run("./sim.sh", "{n}", "wrong", as_json=False, **asked) == 3
    shown = capsys.readouterr().out
    assert "1 of 1, 1 wrong" in shown and "gave 2, not 1" in shown and "500 ms" not in shown
    assert "Next:" not in shown


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("fail", "ended with status 3"), ("silent", "printed no time"), ("hang", "took longer than 1 s")],
)
def test_a_launch_that_fails_is_kept_with_its_reason(program, mode, reason, capsys):
    limit = 1.0 if mode == "hang" else 600.0
    began = time.monotonic()
    assert run("./sim.sh", "{n}", mode, size=["n=2"], timeout_s=limit) == 4
    assert time.monotonic() - began < 40.0
    found = records()
    assert len(found) == 2, "tried once more"
    assert all(reason in one.failure.reason for one in found)
    if mode == "fail":
        assert "no water" in found[0].failure.standard_error


def test_nothing_is_run_twice(program):
    run("./sim.sh", "{n}", "go", size=["n=1,2"])
    run("./sim.sh", "{n}", "go", size=["n=1,2"])
    assert len(records()) == 2
    run("./sim.sh", "{n}", "go", size=["n=1,2"], repeats=2)
    assert len(records()) == 6, "a plan with more repeats is another plan"


def test_a_program_that_prints_too_much_is_ended(program, monkeypatch):
    monkeypatch.setattr(processes, "MOST_OUTPUT", 1 << 20)
    assert run("bash", "-c", "yes {n}", size=["n=2"], name="yes") == 4
    assert "printed more than 1 MiB" in records()[0].failure.reason


def test_a_disk_that_fills_ends_the_program(program, monkeypatch):
    monkeypatch.setattr(processes, "FREE_BYTES", 1 << 60)
    assert run("bash", "-c", "sleep {n}", size=["n=9"], name="filler") == 4
    assert "on the disk" in records()[0].failure.reason


@pytest.mark.parametrize(
    ("words", "more", "why"),
    [
        (["./missing", "{n}"], {"size": ["n=1"]}, "was not found"),
        (["./sim.sh", "{m}"], {"size": ["n=1"]}, "has no value"),
        (["./sim.sh"], {"size": ["n=1"]}, "is not used"),
        (["./sim.sh", "{n}"], {"size": ["n"]}, "not understood"),
        (["./sim.sh", "{n}"], {"size": ["n=a,b"]}, "a size is a number"),
        (["./sim.sh", "{n}"], {"size": ["n=1"], "ranks": "0"}, "not understood"),
        (["./sim.sh", "{n}"], {"size": ["n=1"], "ranks": "1,2"}, "no {ranks} stands in it"),
        (["./sim.sh", "{n}"], {"size": ["n=1"], "time": "t=[0-9]"}, "no group"),
        (["./sim.sh", "{n}"], {"size": ["n=1"], "name": "a/b"}, "no name"),
        (["./sim.sh", "{n}"], {"size": ["n=1"], "check": ["x"]}, "not understood"),
        ([], {}, "nothing to measure"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_runs(program, words, more, why):
    with pytest.raises(UserError, match=why):
        program_file(Request(words, **more))
    assert not Path("results").exists()


def test_another_check_is_asked_of_fresh_launches(program, capsys):
    """What a launch printed is not kept, and a check that was wrong would stay so."""
    right, wrong = (["energy = ([0-9.]+) == 1.0"], ["energy = ([0-9.]+) == 7.0"])
    assert run("./sim.sh", "{n}", "go", size=["n=2"], check=wrong) == 3
    assert run("./sim.sh", "{n}", "go", size=["n=2"], check=right) == 0
    assert run("./sim.sh", "{n}", "go", size=["n=2"], check=right, metric=[r"fom=FOM = (\d+)"]) == 0
    assert [one.verdict for one in records()] == ["failed", "passed", "passed"]
    assert records()[-1].metric("fom").samples == (42.0,)
    assert run("./sim.sh", "{n}", "go", size=["n=2"], check=right) == 0
    assert len(records()) == 3


def test_a_program_that_changes_its_own_input_is_told(program, capsys):
    Path("input.txt").write_text("1\n")
    more = {"size": ["n=2"], "time": None, "as_json": False, "repeats": 2}
    assert run("bash", "-c", "echo {n} >> input.txt; echo new > output", name="spoiler", **more) == 0
    assert "2 launches changed files that were there before: input.txt, output;" in capsys.readouterr().out
    assert run("bash", "-c", "cat input.txt; sleep 0.0{n}", name="reader", **more) == 0
    assert "changed files" not in capsys.readouterr().out


@pytest.mark.parametrize("sizes", ["n=0,1", "n=-3"])
def test_a_size_is_above_zero(program, sizes):
    with pytest.raises(UserError, match="above zero"):
        run("./sim.sh", "{n}", size=[sizes])
    assert records() == []


def test_inputs_are_made_for_each_launch(program, tmp_path):
    text = """
schema = "hakaru/program/1"
name = "deck"
command = "bash -c 'cat deck.in; echo spoiled > deck.in; echo t = {n} > made.log'"
keep = ["*.log"]
[parameters.n]
default = 3
role = "size"
[[inputs]]
file = "deck.in"
template = "deck.tmpl"
[[checks]]
name = "deck"
pattern = "size (.*)"
value = "{n} is 3"
[measure]
repeats = 2
"""
    (tmp_path / "deck.toml").write_text(text.replace('"{n} is 3"', '"3"'))
    (tmp_path / "deck.tmpl").write_text("size {n}\n")
    assert run("deck.toml", time=None, repeats=None) == 0
    found = records()
    assert [one.verdict for one in found] == ["passed", "passed"], "the second launch sees an unspoiled input"
    kept = list(Path("results/kept").glob("*/made.log"))
    assert len(kept) == 2 and kept[0].read_text() == "t = 3\n"
    assert not list(Path("results/.scratch").glob("*"))


def test_an_interruption_leaves_whole_records_only(program, tmp_path):
    words = [
        sys.executable,
        "-m",
        "hakaru",
        "measure",
        "--size",
        "n=1,2,3",
        "--repeats",
        "1",
        "--name",
        "slow",
        "--",
        "bash",
        "-c",
        "sleep {n}",
    ]
    environment = os.environ | {"PYTHONPATH": str(root() / "python")}
    child = subprocess.Popen(
        words, env=environment, start_new_session=True, stderr=subprocess.DEVNULL, preexec_fn=_heed
    )
    until = time.monotonic() + 60.0
    while time.monotonic() < until and not list(Path("results/.scratch").glob("*")):
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGINT)
    assert child.wait(60) == 130
    before = len(records())
    assert before < 3 and not list(Path("results/.scratch").glob("*"))
    assert subprocess.run(words, env=environment, capture_output=True).returncode == 0
    assert len(records()) == 3


def _heed():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(not (build_folder() / "bin/heat").is_file(), reason="heat is not built")
def test_an_mpi_program_is_traced_in_a_share_of_its_launches(program, capsys):
    heat = str(build_folder() / "bin/heat")
    line = ["mpirun", "-n", "{ranks}", heat, "run", "n={n}", "steps=20"]
    asked = {"size": ["n=64,96,128"], "ranks": "2", "repeats": 2, "name": "warmth", "time": None}
    assert run(*line, **asked) == 0
    found = [one for one in records() if one.work.size == 128.0]
    traced = [one for one in found if one.traced]
    assert len(found) == 2 and len(traced) == 1
    assert traced[0].context["program"]["messages"]["messages"] > 0
    assert {"halo", "diffuse"} <= {phase.name for phase in traced[0].phases}
    assert len(traced[0].memory.rank_peak_bytes) == 2
    one = traced[0].repetitions[0]
    for rank, time_s in enumerate(one.rank_s):
        assert sum(times[rank] for times in one.phases.values()) <= time_s * (1 + 1e-9)
    told = json.loads(capsys.readouterr().out)
    assert all(point["phases"] for point in told["points"])


def test_a_region_that_is_not_there_is_a_failure_and_not_the_time_of_the_launch(program, capsys):
    run("./sim.sh", "1", "go", size=[], time=None, region="solve")
    (found, *_) = records()
    assert found.status == "failed" and "the region 'solve' is not known" in found.failure.reason
    assert "regions are timed in programs that use MPI" in found.failure.reason


def made_for(library: str, monkeypatch, path: Path) -> None:
    """``path`` is taken for a program that is linked with this MPI library."""
    seen = Executable(str(path), Path("/l/libmpi.so"), library)
    monkeypatch.setattr(command_line, "executable_of", lambda words: seen)


def test_ranks_that_would_be_worlds_of_their_own_are_refused(program, monkeypatch, capsys):
    made_for("mpich", monkeypatch, program)
    launcher = program.with_name("mpirun")
    launcher.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n")
    launcher.chmod(0o755)
    run(str(launcher), "-n", "{ranks}", "./sim.sh", "1", "go", size=[], ranks="2")
    record, *_ = records()
    assert record.status == "failed" and "cannot be started by this launcher" in record.failure.reason
    assert "use mpirun.mpich" in record.failure.reason


def test_without_a_tracer_time_and_memory_are_measured_all_the_same(program, monkeypatch, capsys):
    made_for("mpich", monkeypatch, program)
    monkeypatch.setattr(tracing_run, "find_compiler", lambda *_: (_ for _ in ()).throw(UserError("no mpicc")))
    assert run("./sim.sh", "1", "go", size=[], as_json=False) == 0
    (record,) = records()
    assert record.status == "ok" and record.wall_s == 1.0 and record.memory.rank_peak_bytes[0] > 0
    assert "Not traced: no mpicc" in capsys.readouterr().out
