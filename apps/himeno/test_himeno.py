"""The built program: one answer at every layout and decomposition, damage is seen, bad input is refused."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from hakaru.base.paths import build_folder

LAYOUTS = [(1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)]
UNEVEN = ["size=custom", "nx=45", "ny=17", "nz=22", "precision=double", "iterations=23"]
MPI_VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_WAIT_POLICY": "passive",
}


@pytest.fixture(scope="module")
def listing() -> dict:
    path = build_folder() / "programs.json"
    programs = json.loads(path.read_text()) if path.is_file() else {"programs": []}
    if not any(entry["name"] == "himeno" for entry in programs["programs"]):
        pytest.skip(f"himeno is not built in {build_folder()}")
    return programs


def start(listing: dict, ranks: int, *words: str) -> subprocess.CompletedProcess:
    program = str(build_folder() / "bin" / "himeno")
    launch = [listing["mpirun"], "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run(
        [*launch, program, *words],
        env={**os.environ, **MPI_VARIABLES},
        capture_output=True,
        text=True,
        timeout=300,
    )


def record_of(listing: dict, folder: Path, ranks: int, threads: int, *words: str) -> dict:
    path = folder / f"{ranks}-{threads}.json"
    result = start(
        listing,
        ranks,
        "run",
        *words,
        "--threads",
        str(threads),
        "--repetitions",
        "1",
        "--warmup",
        "0",
        "--record",
        str(path),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(path.read_text())


def check_of(record: dict, ending: str) -> float:
    return next(check["value"] for check in record["checks"] if check["name"].endswith(ending))


@pytest.fixture(scope="module")
def serial(listing: dict, tmp_path_factory: pytest.TempPathFactory) -> dict:
    return record_of(listing, tmp_path_factory.mktemp("serial"), 1, 1, *UNEVEN)


@pytest.mark.parametrize(("ranks", "threads"), LAYOUTS)
def test_same_answer_at_every_layout(
    listing: dict, serial: dict, tmp_path: Path, ranks: int, threads: int
) -> None:
    record = record_of(listing, tmp_path, ranks, threads, *UNEVEN)
    for what in ("gosa of the exact solution", "mean pressure of the exact solution"):
        assert check_of(record, what) == pytest.approx(check_of(serial, what), rel=1e-12, abs=0)
    assert record["verdict"] == "passed"


@pytest.mark.parametrize(
    "wish", ["ranks_x=4", "ranks_y=4", "decomposition=1d", "decomposition=2d", "ranks_x=2"]
)
@pytest.mark.parametrize("exchange", ["packed", "datatypes"])
def test_same_answer_in_every_decomposition(
    listing: dict, serial: dict, tmp_path: Path, wish: str, exchange: str
) -> None:
    record = record_of(listing, tmp_path, 4, 1, *UNEVEN, wish, f"exchange={exchange}", "stores=streaming")
    what = "gosa of the exact solution"
    assert check_of(record, what) == pytest.approx(check_of(serial, what), rel=1e-12, abs=0)


@pytest.mark.parametrize(("ranks", "threads"), [(1, 1), *LAYOUTS])
def test_verify_passes(listing: dict, ranks: int, threads: int) -> None:
    result = start(listing, ranks, "verify", "--threads", str(threads))
    assert result.returncode == 0, result.stdout + result.stderr


def test_damage_is_seen(listing: dict) -> None:
    result = start(listing, 2, "verify", "--damage")
    assert result.returncode == 3
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAILED")]
    for what in ("pressure from the plain loop", "gosa of the table", "mean pressure of the exact solution"):
        assert any(what in line for line in failed), what


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["size=XS", "decomposition=1d", "ranks_z=40"], "cannot divide"),
        (["size=custom", "nx=2"], "no interior point"),
        (["size=S", "nz=64"], "size=custom only"),
    ],
)
def test_impossible_requests_are_refused(listing: dict, words: list[str], reason: str) -> None:
    result = start(listing, 1, "run", *words)
    assert result.returncode == 2
    assert reason in result.stderr
