"""``--region``: the time of a region is the time of the run, by whatever interface the program tells it."""

import subprocess
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import RecordStore
from hakaru.facts.traces.trace import converter
from hakaru.run.tracing.build import find_compiler, sources
from hakaru.tell.measured.command import Request, measure

pytestmark = pytest.mark.skipif(converter() is None, reason="the converter is not built")
STEP_S, SOLVE_S = 3 * 0.060, 3 * 0.040  # of processor time, at least


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    try:
        compiler = find_compiler("openmpi")
    except UserError as error:
        pytest.skip(str(error))
    folder, tests = tmp_path_factory.mktemp("regions"), sources() / "watch" / "tests"
    caliper, made = folder / "libcaliper.so", folder / "regions"
    subprocess.run(["cc", "-shared", "-fPIC", tests / "caliper.c", "-o", caliper], check=True)
    words = [
        compiler.path,
        "-O1",
        "-DWITH_MPI",
        tests / "regions.c",
        "-o",
        made,
        caliper,
        f"-Wl,-rpath,{folder}",
    ]
    subprocess.run([*words, "-lpthread", "-ldl"], check=True)
    return made


@pytest.mark.parametrize("how", ["KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY", "caliper"])
def test_the_time_is_that_of_the_region(program, tmp_path, monkeypatch, capsys, how):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAKARU_RESULTS", str(tmp_path / "results"))
    words = ("mpirun", "-n", "1", str(program), how, "20")
    assert measure(Request(words, region="solve", repeats=1, as_json=True)) == 0
    (record,) = RecordStore(tmp_path / "results").all()
    assert record.status == "ok" and set(record.repetitions[0].phases) >= {"step", "solve"}
    assert record.wall_s >= SOLVE_S
    launch_s = record.context["program"]["launch_s"]
    assert record.wall_s < launch_s, "the region is a part of the launch"


def test_another_region_is_named_in_the_failure(program, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAKARU_RESULTS", str(tmp_path / "results"))
    measure(
        Request(("mpirun", "-n", "1", str(program), "caliper", "1"), region="solver", repeats=1, as_json=True)
    )
    record, *_ = RecordStore(tmp_path / "results").all()
    assert (
        record.status == "failed" and "it marks" in record.failure.reason and "solve" in record.failure.reason
    )
