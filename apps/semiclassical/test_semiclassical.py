"""What a physicist may do with semiclassical, and what may go wrong: files, damaged results, restarts, lost trajectories."""

import json
import math
import struct
import subprocess

import numpy as np
import pytest
from support import start

from hakaru.facts import programs
from hakaru.facts.records import Record

ONCE = ("--repetitions", "1", "--warmup", "0")
FEW = ("n=3", "steps=20")
ALL = (*FEW, "trajectories=60", "part=20")
HEADER_BYTES = 1024
DIMER = "2\ndimer\nAr 0 0 0\nAr 1.2 0 0\n"
CLUSTER = (
    "potential=lennard_jones",
    "dt=0.005",
    "hbar=0.1",
    "width=100",
    "trajectories=8",
    "steps=4",
    "interval=1",
)


@pytest.fixture
def semiclassical():
    return programs.named("semiclassical")


def run(program, *words: str, ranks: int = 1, threads: int = 1):
    return start(program, ["run", *ONCE, *words], ranks, threads)


def correlation(program, folder, *words: str, ranks: int = 1, threads: int = 1) -> list[dict]:
    record = folder / "record.json"
    done = run(program, *words, "--record", str(record), ranks=ranks, threads=threads)
    assert done.returncode == 0, done.stdout + done.stderr
    return Record.read(record).rows("correlation")


def exact_correlation(coupling: float, centre: float, times: list[float]) -> list[complex]:
    """Of two oscillators of Henon and Heiles, whose Hamiltonian is diagonalised in 24 x 24 harmonic states."""
    kept = 24
    large = kept + 4  # powers of x are right where the basis is larger
    x = np.diag(np.sqrt(np.arange(1, large) / 2), 1)
    x = x + x.T
    square, cube = (power[:kept, :kept] for power in (x @ x, x @ x @ x))
    x, one = x[:kept, :kept], np.eye(kept)
    oscillator = np.diag(np.arange(kept) + 0.5)
    hamiltonian = np.kron(oscillator, one) + np.kron(one, oscillator)
    hamiltonian += coupling * (np.kron(square, x) - np.kron(one, cube) / 3)
    z = centre / math.sqrt(2)
    packet = [math.exp(-z * z / 2) * z**k / math.sqrt(math.factorial(k)) for k in range(kept)]
    energies, states = np.linalg.eigh(hamiltonian)
    weights = (states.T @ np.kron(packet, packet)) ** 2
    return [complex(weights @ np.exp(-1j * energies * time)) for time in times]


def test_two_oscillators_follow_quantum_mechanics(semiclassical, tmp_path):
    words = ["n=2", "displacement=1.5", "trajectories=20000", "steps=200", "dt=0.05", "interval=5"]
    rows = correlation(semiclassical, tmp_path, *words, threads=2)
    exact = exact_correlation(0.111803, 1.5, [row["time"] for row in rows])
    errors = [
        abs(complex(row["real"], row["imaginary"]) - value) for row, value in zip(rows, exact, strict=True)
    ]
    assert max(row["deviation"] for row in rows) < 0.02
    assert max(errors) < 0.06, "five deviations, and what the approximation leaves out"
    uncoupled = exact_correlation(0.0, 1.5, [row["time"] for row in rows])
    assert max(abs(a - b) for a, b in zip(exact, uncoupled, strict=True)) > 0.25, "the coupling is seen"


def test_an_xyz_file_gives_the_built_in_cluster(semiclassical, tmp_path):
    file = tmp_path / "dimer.xyz"
    file.write_text(DIMER)
    given = correlation(semiclassical, tmp_path, *CLUSTER, f"input={file}")
    built_in = correlation(semiclassical, tmp_path, *CLUSTER, "atoms=2")
    # Along another axis: other random numbers along the bond, the same physics.
    assert given[-1]["real"] == pytest.approx(built_in[-1]["real"], abs=0.5)
    assert [row["time"] for row in given] == [row["time"] for row in built_in]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DIMER.replace("2\n", "3\n", 1), "line 1 says 3 atoms, and there are 2"),
        (DIMER.replace("1.2", "nan"), "'nan' is not a finite number"),
        (DIMER.replace("1.2", "one"), "'one' is not a finite number"),
        (DIMER.replace("1.2", "0.1"), "atoms 1 and 2 overlap"),
        (DIMER.replace("1.2 0 0", "1.2 0"), "no three coordinates"),
        ("two\n", "not a number of at least two atoms"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_refused(semiclassical, tmp_path, text, why):
    file = tmp_path / "cluster.xyz"
    file.write_text(text)
    done = run(semiclassical, *CLUSTER, f"input={file}")
    assert done.returncode == 2 and why in done.stderr and ";" in done.stderr, done.stderr


def test_a_missing_file_ends_with_4(semiclassical, tmp_path):
    done = run(semiclassical, *CLUSTER, f"input={tmp_path / 'none.xyz'}")
    assert done.returncode == 4 and "cannot" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["interval=200"], "interval=200 is more than steps=100"),
        (["input=some.xyz"], "input cannot be used with potential=henon_heiles"),
    ],
)
def test_what_cannot_be_computed_is_refused(semiclassical, words, why):
    done = run(semiclassical, *words)
    assert done.returncode == 2 and why in done.stderr, done.stderr


def test_trajectories_that_escape_are_counted_and_fail_the_run(semiclassical, tmp_path):
    record = tmp_path / "record.json"
    words = ["n=2", "displacement=12", "trajectories=100", "dt=0.1", "--record", str(record)]
    done = run(semiclassical, *words)
    assert done.returncode == 3 and "FAILED share of lost trajectories" in done.stdout, done.stdout
    rows = Record.read(record).rows("correlation")
    assert rows[-1]["lost"] > 1 and math.isfinite(rows[-1]["real"])


def test_a_branch_that_is_a_guess_fails_the_run(semiclassical):
    done = run(semiclassical, "displacement=2", "dt=0.25", "interval=20", "trajectories=50")
    assert done.returncode == 3 and "FAILED largest departure of a determinant's phase" in done.stdout


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_run_goes_on_from_a_checkpoint_with_the_same_bits(semiclassical, tmp_path, ranks):
    kept = tmp_path / "sums"
    whole = correlation(semiclassical, tmp_path, *ALL)
    correlation(
        semiclassical, tmp_path, *FEW, "trajectories=25", "part=10", f"checkpoint={kept}", ranks=ranks
    )
    assert kept.is_file() and not list(tmp_path.glob("*.part"))
    words = [*FEW, "trajectories=60", f"restart={kept}"]
    assert correlation(semiclassical, tmp_path, *words, ranks=ranks) == whole


@pytest.mark.parametrize(
    ("ranks", "threads", "threading"), [(2, 1, "over"), (1, 2, "over"), (1, 2, "inside")]
)
def test_layouts_have_the_same_bits(semiclassical, tmp_path, ranks, threads, threading):
    words = [*FEW, "trajectories=61", f"threading={threading}"]
    whole = correlation(semiclassical, tmp_path, *FEW, "trajectories=61")
    assert correlation(semiclassical, tmp_path, *words, ranks=ranks, threads=threads) == whole


DAMAGES = {
    "NaN": lambda data: data[:-16] + struct.pack("<d", math.nan) + data[-8:],
    "another number": lambda data: data[:-16] + struct.pack("<d", 0.5) + data[-8:],
    "truncated": lambda data: data[:-8],
    "header only": lambda data: data[:100],
    "empty": lambda data: b"",
    "longer": lambda data: data + b"12345678",
    "something else": lambda data: b"P" * len(data),
    "no trajectories": lambda data: (
        data[:HEADER_BYTES].replace(b'"trajectories":60', b'"trajectories":-6') + data[HEADER_BYTES:]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused(semiclassical, tmp_path, damage):
    kept = tmp_path / "sums"
    assert run(semiclassical, *ALL, f"checkpoint={kept}").returncode == 0
    kept.write_bytes(DAMAGES[damage](kept.read_bytes()))
    done = run(semiclassical, *ALL, f"restart={kept}")
    assert done.returncode == 2 and "cannot restart from" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [(["seed=2"], "of other parameters"), (["trajectories=30"], "it has 60 trajectories already")],
)
def test_a_checkpoint_of_something_else_is_refused(semiclassical, tmp_path, words, why):
    kept = tmp_path / "sums"
    assert run(semiclassical, *ALL, f"checkpoint={kept}").returncode == 0
    done = run(semiclassical, *FEW, *words, f"restart={kept}")
    assert done.returncode == 2 and why in done.stderr, done.stderr


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk_leaves_no_part_of_a_checkpoint(semiclassical, tmp_path, ranks):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        done = run(semiclassical, *ALL, "interval=1", f"checkpoint={disk / 'sums'}", ranks=ranks)
        assert done.returncode == 4 and f"cannot write {disk / 'sums'}" in done.stderr, done.stderr
        assert not list(disk.iterdir())
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_folder_that_cannot_be_written_is_found_before_the_run(semiclassical, tmp_path):
    done = run(semiclassical, *ALL, f"checkpoint={tmp_path / 'none' / 'sums'}")
    assert done.returncode == 4 and "cannot write" in done.stderr


def test_a_restart_has_no_schedule(semiclassical):
    done = subprocess.run(
        [semiclassical.path, "schedule", "restart=x"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and "no schedule with restart" in done.stderr


def test_every_check_fails_when_its_result_is_damaged(semiclassical, tmp_path):
    record = tmp_path / "record.json"
    done = start(semiclassical, ["verify", "--damage", "--record", str(record)])
    assert done.returncode == 3
    checks = json.loads(record.read_text())["checks"]
    assert len(checks) > 40
    assert [check["name"] for check in checks if check["passed"]] == []
