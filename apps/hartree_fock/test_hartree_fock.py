"""Runs that must end with a clear error, and what they leave behind."""

import json
import math
import struct
import subprocess

import pytest
from support import start

from hakaru.facts import programs
from hakaru.facts.records import Record

ONCE = ("--repetitions", "1", "--warmup", "0")
HEADER_BYTES = 1024
WATER = "3\nwater\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n"


@pytest.fixture
def hartree_fock():
    return programs.named("hartree_fock")


def run(program, *words: str, ranks: int = 1, threads: int = 1):
    return start(program, ["run", *ONCE, *words], ranks, threads)


def energy(program, tmp_path, *words: str) -> float:
    record = tmp_path / "record.json"
    done = run(program, *words, "--record", str(record))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = Record.read(record).rows("energies")
    return next(row["value"] for row in rows if row["name"] == "total energy")


def test_an_xyz_file_gives_the_energy_of_the_built_in_molecule(hartree_fock, tmp_path):
    file = tmp_path / "water.xyz"
    file.write_text(WATER)
    assert energy(hartree_fock, tmp_path, f"input={file}") == pytest.approx(-74.9630631297, abs=1e-8)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WATER.replace("3\n", "4\n", 1), "line 1 says 4 atoms"),
        (WATER.replace("0.587", "nan", 1), "not a finite number"),
        (WATER.replace("O", "Au", 1), "no basis for the element"),
        (WATER.replace("-0.757", "0.757"), "overlap"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(hartree_fock, tmp_path, text, why):
    file = tmp_path / "water.xyz"
    file.write_text(text)
    done = run(hartree_fock, f"input={file}")
    assert done.returncode == 2 and why in done.stderr and ";" in done.stderr


def test_a_missing_file_ends_with_4(hartree_fock, tmp_path):
    done = run(hartree_fock, f"input={tmp_path / 'none.xyz'}")
    assert done.returncode == 4 and "cannot" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["charge=1"], "has 41 electrons"),
        (["molecule=hydrogen", "charge=-4"], "the 2 functions of sto-3g hold two each"),
        (["integrals=disk", "balance=dynamic"], "cannot be used with balance=dynamic"),
    ],
)
def test_what_cannot_be_computed_is_refused(hartree_fock, words, why):
    done = run(hartree_fock, *words)
    assert done.returncode == 2 and why in done.stderr, done.stderr


@pytest.mark.parametrize("ranks", [1, 2])
def test_no_convergence_is_an_error_that_keeps_the_density(hartree_fock, tmp_path, ranks):
    kept = tmp_path / "density"
    words = ["scf=damped", "most_iterations=3", f"checkpoint={kept}"]
    done = run(hartree_fock, *words, ranks=ranks)
    assert done.returncode == 4 and "did not converge" in done.stderr, done.stderr
    assert kept.is_file() and not list(tmp_path.glob("*.part"))
    assert run(hartree_fock, f"restart={kept}", ranks=ranks).returncode == 0


def test_too_few_iterations_fail_the_verification(hartree_fock):
    done = run(hartree_fock, "iterations=2")
    assert done.returncode == 3 and "FAILED largest change of a density element" in done.stdout


def test_a_restart_finds_the_same_energy_in_fewer_iterations(hartree_fock, tmp_path):
    kept = tmp_path / "density"
    first = energy(hartree_fock, tmp_path, f"checkpoint={kept}")
    again = tmp_path / "again"
    again.mkdir()
    assert energy(hartree_fock, again, f"restart={kept}", "most_iterations=3") == pytest.approx(
        first, abs=1e-9
    )


DAMAGES = {
    "NaN": lambda data: data[:HEADER_BYTES] + struct.pack("<d", math.nan) + data[HEADER_BYTES + 8 :],
    "another number": lambda data: data[:-8] + struct.pack("<d", 0.5),
    "truncated": lambda data: data[:-8],
    "header only": lambda data: data[:100],
    "longer": lambda data: data + b"12345678",
    "something else": lambda data: b"P" * len(data),
}
WHY = {"NaN": "not finite", "another number": "not those that were written"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused(hartree_fock, tmp_path, damage):
    kept = tmp_path / "density"
    assert run(hartree_fock, "molecule=water", f"checkpoint={kept}").returncode == 0
    kept.write_bytes(DAMAGES[damage](kept.read_bytes()))
    done = run(hartree_fock, "molecule=water", f"restart={kept}")
    assert done.returncode == 2 and "cannot restart from" in done.stderr, done.stderr
    assert WHY.get(damage, "") in done.stderr


def test_a_checkpoint_of_another_molecule_is_refused(hartree_fock, tmp_path):
    kept = tmp_path / "density"
    assert run(hartree_fock, "molecule=water", f"checkpoint={kept}").returncode == 0
    done = run(hartree_fock, "molecule=water_crawford", f"restart={kept}")
    assert done.returncode == 2 and "its molecule is another" in done.stderr


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk_leaves_no_part_of_the_integrals(hartree_fock, disk, ranks):
    done = run(hartree_fock, "integrals=disk", f"scratch={disk}", ranks=ranks)
    assert done.returncode == 4 and "cannot write the integrals" in done.stderr, done.stderr
    assert not list(disk.iterdir())


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk_leaves_no_part_of_a_checkpoint(hartree_fock, disk, ranks):
    words = ["basis=6-31g", "rings=2", f"checkpoint={disk / 'density'}"]
    done = run(hartree_fock, *words, ranks=ranks)
    assert done.returncode == 4 and f"cannot write {disk / 'density'}" in done.stderr, done.stderr
    assert not list(disk.iterdir())


def test_nothing_stays_in_the_scratch_folder(hartree_fock, tmp_path):
    assert run(hartree_fock, "integrals=disk", f"scratch={tmp_path}", "buffer=10000").returncode == 0
    assert not list(tmp_path.iterdir())


def test_a_scratch_folder_that_is_not_there_ends_with_4(hartree_fock, tmp_path):
    done = run(hartree_fock, "integrals=disk", f"scratch={tmp_path / 'none'}")
    assert done.returncode == 4 and "cannot" in done.stderr


@pytest.mark.parametrize("layout", [(1, 2), (2, 1), (3, 1)])
def test_runs_have_the_same_bits_at_every_layout(hartree_fock, tmp_path, layout):
    found = []
    for ranks, threads in [(1, 1), layout]:
        record = tmp_path / f"{ranks}-{threads}.json"
        words = ["iterations=8", "balance=dynamic", "--record", str(record)]
        assert run(hartree_fock, *words, ranks=ranks, threads=threads).returncode == 0
        found.append(Record.read(record).rows("history"))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [(["iterations=0"], "iterations=0"), (["balance=dynamic", "iterations=3"], "balance=dynamic")],
)
def test_what_is_not_known_beforehand_has_no_schedule(hartree_fock, words, why):
    done = subprocess.run([hartree_fock.path, "schedule", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and why in done.stderr


def test_every_check_fails_when_its_result_is_damaged(hartree_fock, tmp_path):
    record = tmp_path / "record.json"
    done = start(hartree_fock, ["verify", "--damage", "--record", str(record)])
    assert done.returncode == 3
    passed = [check["name"] for check in json.loads(record.read_text())["checks"] if check["passed"]]
    assert passed == []
