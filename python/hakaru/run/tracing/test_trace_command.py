"""``hakaru trace`` from the launch line to the summary."""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

import pytest

from hakaru.facts.traces.raw import DamagedTrace, RawFile, raw_files
from hakaru.run.tracing.build import sources
from hakaru.run.tracing.testing import FEW_CORES

pytestmark = pytest.mark.skipif(
    not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"),
    reason="Open MPI is not installed here",
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")

    def compiled(name: str) -> str:
        program = folder / name
        source = sources() / "preload" / "tests" / f"{name}.c"
        subprocess.run(["mpicc.openmpi", str(source), "-o", str(program), "-lpthread"], check=True)
        return str(program)

    return compiled


def hakaru_trace(tmp_path, *words: str) -> subprocess.CompletedProcess:
    """Without a converter, so that the raw files stay."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "hakaru", "trace", *words],
        cwd=tmp_path,
        env=os.environ | FEW_CORES | {"HAKARU_BUILD": str(tmp_path / "nothing built")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_a_run_ends_with_a_summary(tmp_path, programs):
    done = hakaru_trace(
        tmp_path, "--output", "t", "--json", "--", "mpirun.openmpi", "-n", "2", programs("many_calls"), "50"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["received 50"] * 2
    summary = json.loads(done.stdout.splitlines()[-1])
    (sendrecv,) = [call for call in summary["calls"] if call["name"] == "MPI_Sendrecv"]
    assert (sendrecv["calls"], sendrecv["bytes_sent"], sendrecv["bytes_received"]) == (100, 400, 400)
    assert summary["ranks"] == 2 and summary["problems"] == [] and summary["uncovered"] == {}
    assert len(raw_files(tmp_path / "t" / "raw")) == 2
    again = hakaru_trace(tmp_path, "--output", "t", "--", "mpirun.openmpi", "-n", "1", programs("many_calls"))
    assert again.returncode == 2 and "is there already" in again.stderr


def test_a_killed_rank_is_named_and_the_status_is_the_programs(tmp_path, programs):
    done = hakaru_trace(
        tmp_path, "--output", "t", "--", "mpirun.openmpi", "-n", "2", programs("endings"), "kill"
    )
    assert done.returncode == 137
    assert "attention: rank 1 was killed outside of MPI" in done.stderr
    assert "attention: rank 0 was killed inside MPI_Recv" in done.stderr


def test_an_interrupted_run_keeps_what_there_is(tmp_path, programs):
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "hakaru", "trace", "--output", "t", "--"]
        + ["mpirun.openmpi", "-n", "2", programs("many_calls"), "1000000000"],
        cwd=tmp_path,
        env=os.environ | FEW_CORES | {"HAKARU_BUILD": str(tmp_path / "nothing built")},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(600):
        if sum(file.header.records for file in raw_files(tmp_path / "t" / "raw")) > 10000:
            break
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert running.returncode != 0
    assert "2 ranks" in said and "MPI_Sendrecv" in said and "was killed" in said
    for file in raw_files(tmp_path / "t" / "raw"):
        assert sum(1 for _, _ in zip(file.records(), range(1000), strict=False)) == 1000


def test_uncovered_calls_are_named(tmp_path, programs):
    done = hakaru_trace(tmp_path, "--output", "t", "--", programs("uncovered"))
    assert done.returncode == 0
    assert "only counted: MPI_Grequest_complete (1), MPI_Grequest_start (1)" in done.stderr


def test_a_program_without_mpi_is_said(tmp_path):
    done = hakaru_trace(tmp_path, "--", "mpirun.openmpi", "-n", "1", "true")
    assert done.returncode == 2 and "nothing was recorded" in done.stderr
    assert not list(tmp_path.iterdir())


def test_damaged_raw_files_are_refused(tmp_path, programs):
    hakaru_trace(tmp_path, "--output", "t", "--", programs("many_calls"), "20")
    (path,) = (tmp_path / "t" / "raw").glob("*.hkr")
    good = path.read_bytes()
    start = RawFile(path).header.records_offset
    records = len(list(RawFile(path).records()))
    assert records == 22

    def read(data: bytes) -> list:
        path.write_bytes(data)
        return list(RawFile(path).records())

    for cut in (0, 100, start - 8, start + 12, len(good) - 8):
        with pytest.raises(DamagedTrace):
            read(good[:cut])
    for damage in (struct.pack("<I", 4094 | 2 << 12), struct.pack("<I", 0)):
        with pytest.raises(DamagedTrace):
            read(good[:start] + damage + good[start + 4 :])
    with pytest.raises(DamagedTrace):
        read(b"X" + good[1:])
