"""``hakaru trace``: profile and files from the launch line to the page."""

import json
import os
import shutil
import subprocess
import sys

import jsonschema
import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts import native
from hakaru.run.tracing.profile import TOOL
from hakaru.run.tracing.testing import FEW_CORES
from hakaru.run.tracing.testing_watched import PROGRAMS, Programs


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Programs:
    try:
        native.tool(TOOL)
    except UserError:
        pytest.skip(f"{TOOL} is not built here")
    return Programs(tmp_path_factory.mktemp("programs"))


def hakaru_trace(folder, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-P", "-m", "hakaru", "trace", *map(str, words)],
        cwd=folder,
        env=os.environ | FEW_CORES,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def kept(folder, name: str) -> dict:
    data = json.loads((folder / f"{name}.json").read_text())
    jsonschema.validate(data, json.loads((root() / "schema" / f"{name}.schema.json").read_text()))
    return data


def test_a_program_without_mpi(programs, tmp_path):
    done = hakaru_trace(
        tmp_path,
        "-o",
        "t",
        "--rate",
        "200",
        "--folded",
        "f.txt",
        "--",
        programs.compile("shares.c"),
        "150000",
    )
    assert done.returncode == 0, done.stderr
    assert (
        "burn_six" in done.stderr and "(standard output)" in done.stderr and "t/profile.html" in done.stderr
    )
    profile = kept(tmp_path / "t", "profile")
    kept(tmp_path / "t", "files")
    folded = (tmp_path / "f.txt").read_text().splitlines()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in folded) == profile["samples"] > 50
    page = (tmp_path / "t" / "profile.html").read_text()
    assert "burn_three" in page and "<script" not in page
    again = hakaru_trace(tmp_path, "--read", "t")
    assert again.returncode == 0 and "burn_six" in again.stdout
    (tmp_path / "t" / "profile.json").write_text("{")
    damaged = hakaru_trace(tmp_path, "--read", "t")
    assert damaged.returncode == 4 and "profile.json cannot be read" in damaged.stderr


def test_nothing_is_watched_where_nothing_is_wanted(programs, tmp_path):
    done = hakaru_trace(tmp_path, "--no-profile", "--no-files", "--", programs.compile("shares.c"), "10000")
    assert done.returncode == 2 and "nothing was recorded" in done.stderr


def test_a_rate_that_cannot_be(programs, tmp_path):
    done = hakaru_trace(tmp_path, "--rate", "0", "--", "true")
    assert done.returncode == 2 and "cannot be sampled" in done.stderr and not list(tmp_path.iterdir())


@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="Open MPI is not installed here")
def test_a_wrong_writer_is_told(programs, tmp_path):
    program = tmp_path / "writers"
    subprocess.run(["mpicc.openmpi", str(PROGRAMS / "writers.c"), "-o", str(program)], check=True)
    for wrong, told in (
        ("-100", "solution.dat: bytes 15900 to 15999 written by rank 1 and rank 2"),
        ("100", "solution.dat: bytes 16000 to 16099 written by nobody"),
        ("0", ""),
    ):
        output = f"t{wrong}"
        launch = ["mpirun.openmpi", "-n", "3", program, "solution.dat", "mpi_at", wrong]
        done = hakaru_trace(tmp_path, "-o", output, "--", *launch)
        assert done.returncode == 0, done.stderr
        assert told in done.stderr and ("attention: solution.dat" in done.stderr) == bool(told)
        assert kept(tmp_path / output, "files")["files"]
        again = hakaru_trace(tmp_path, "--read", output)
        assert told in again.stdout
