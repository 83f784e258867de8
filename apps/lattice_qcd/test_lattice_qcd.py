"""What a physicist may do with lattice_qcd, and what may go wrong: files, damaged results, solvers that do not converge."""

import json
import shutil
import struct
import subprocess

import pytest
from support import all_programs, start

HEADER = 4096
ONCE = ("--repetitions", "1", "--warmup", "0")
SIZES = ("nx=4", "ny=4", "nz=4", "nt=4")
GENERATE = (*SIZES, "task=generate", "over_relaxations=1")


@pytest.fixture(scope="module")
def program():
    found = [one for one in all_programs() if one.name == "lattice_qcd"]
    if not found:
        pytest.skip("lattice_qcd was not built")
    return found[0]


def run(program, folder, *words, ranks=1):
    record = folder / "record.json"
    done = start(program, ["run", *words, *ONCE, "--record", str(record)], ranks=ranks)
    return done, json.loads(record.read_text()) if record.exists() else None


def table(record, name):
    found = next(one for one in record["tables"] if one["name"] == name)
    return found["rows"]


@pytest.fixture(scope="module")
def configuration(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("configuration")
    done, _ = run(program, folder, *GENERATE, "sweeps=2", f"save={folder / 'links'}")
    assert done.returncode == 0, done.stderr
    return folder / "links"


def test_every_check_fails_on_a_damaged_result(program, tmp_path):
    record_file = tmp_path / "record.json"
    done = start(program, ["verify", "--damage", "--record", str(record_file)])
    assert done.returncode == 3
    checks = json.loads(record_file.read_text())["checks"]
    assert len(checks) > 20
    assert [check["name"] for check in checks if check["passed"]] == []


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_goes_on_from_a_file_with_the_same_bits(program, configuration, tmp_path, ranks):
    done, whole = run(program, tmp_path, *GENERATE, "sweeps=4", ranks=ranks)
    assert done.returncode == 0, done.stderr
    done, rest = run(program, tmp_path, *GENERATE, "sweeps=2", f"configuration={configuration}", ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert table(rest, "plaquettes") == table(whole, "plaquettes")[2:]


def damaged(path, folder, change):
    copy = folder / "damaged"
    shutil.copy(path, copy)
    data = bytearray(copy.read_bytes())
    copy.write_bytes(change(data))
    return copy


def put(data, at, number):
    data[at : at + 8] = struct.pack("<d", number)
    return data


def header_with(data, old, new):
    return data[:HEADER].replace(old, new).ljust(HEADER)[:HEADER] + data[HEADER:]


DAMAGES = {
    "truncated": (lambda data: data[:-100], "it is truncated: it has"),
    "truncated in its header": (lambda data: data[:50], "it is truncated: it ends after 50 B"),
    "empty": (lambda data: data[:0], "it is truncated"),
    "longer": (lambda data: data + b"1", "longer than it says"),
    "no configuration": (lambda data: b"x" * len(data), "not a configuration"),
    "NaN": (lambda data: put(data, HEADER + 800, float("nan")), "not all of its links are in SU(3)"),
    "infinity": (lambda data: put(data, HEADER + 800, float("inf")), "not all of its links are in SU(3)"),
    "another number": (lambda data: put(data, HEADER + 800, 0.3), "not all of its links are in SU(3)"),
    "another bit": (lambda data: data[:HEADER] + bytes([data[HEADER] ^ 1]) + data[HEADER + 1 :], "digest"),
    "no beta": (lambda data: header_with(data, b'"beta":6.0', b'"atad":6.0'), "no number `beta`"),
    "NaN in the header": (
        lambda data: header_with(data, b'"beta":6.0', b'"beta":NaN'),
        "not a configuration",
    ),
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_configuration_is_refused(program, configuration, tmp_path, damage, ranks):
    change, words = DAMAGES[damage]
    path = damaged(configuration, tmp_path, change)
    done, _ = run(program, tmp_path, *GENERATE, f"configuration={path}", ranks=ranks)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot use the configuration" in done.stderr and words in done.stderr


def test_a_configuration_of_another_lattice_is_refused(program, configuration, tmp_path):
    done, _ = run(program, tmp_path, "nx=4", "ny=4", "nz=4", "nt=8", f"configuration={configuration}")
    assert done.returncode == 2 and "its lattice is [4,4,4,4], not [4,4,4,8]" in done.stderr


def test_a_missing_configuration_is_an_error_in_words(program, tmp_path):
    done, _ = run(program, tmp_path, *SIZES, f"configuration={tmp_path / 'none'}")
    assert done.returncode == 2 and "there is no such file" in done.stderr


def test_a_folder_that_cannot_be_written_is_found_before_the_run(program, tmp_path):
    done, _ = run(program, tmp_path, *GENERATE, "sweeps=1", f"save={tmp_path / 'none' / 'links'}")
    assert done.returncode == 4 and "cannot write" in done.stderr


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk_leaves_no_part_of_a_configuration(program, tmp_path, ranks):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        done, _ = run(program, tmp_path, *GENERATE, "sweeps=1", f"save={disk / 'links'}", ranks=ranks)
        assert done.returncode == 4, done.stderr
        assert f"cannot write {disk / 'links'}" in done.stderr
        assert not list(disk.iterdir())
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


CRITICAL = ("task=propagator", "start=cold", "boundary=periodic", "kappa=0.125", "iterations=60")


@pytest.mark.parametrize("solver", ["cg", "bicgstab"])
@pytest.mark.parametrize("precision", ["single", "double", "mixed"])
def test_a_solver_that_does_not_converge_says_so(program, tmp_path, solver, precision):
    words = (*SIZES, *CRITICAL, f"solver={solver}", f"precision={precision}", "tolerance=1e-8")
    done, record = run(program, tmp_path, *words)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "the solver did not converge" in done.stderr and "smaller kappa" in done.stderr
    assert record["status"] == "failed"


@pytest.mark.parametrize("solver", ["cg", "bicgstab"])
@pytest.mark.parametrize("precision", ["double", "mixed"])
def test_pions_are_lighter_near_the_critical_kappa(program, tmp_path, solver, precision):
    heavy, light = (
        table(
            run(
                program, tmp_path, *SIZES[:3], "nt=8", "start=cold", "task=propagator",
                f"kappa={kappa}", f"solver={solver}", f"precision={precision}", "iterations=500",
            )[1],
            "pion",
        )
        for kappa in (0.10, 0.12)
    )  # fmt: skip
    assert all(row[1] > 0 for row in heavy + light)
    assert heavy[4][1] / heavy[1][1] < light[4][1] / light[1][1] < 1
    assert heavy[1][1] == pytest.approx(heavy[7][1], rel=1e-6), "forward and backward in time are alike"


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("axis", "xyzt")
def test_division_of_an_axis_changes_nothing(program, tmp_path, axis, precision):
    """Along an axis that is divided among ranks and cut among lanes too; random links tell all sites apart."""
    words = [f"n{one}={8 if one == axis else 4}" for one in "xyzt"]
    words += ["task=propagator", "kappa=0.13", "tolerance=1e-5", f"precision={precision}", "iterations=200"]
    (whole, divided) = (
        table(run(program, tmp_path, *words, *more, ranks=ranks)[1], "pion")
        for more, ranks in (([], 1), ([f"ranks_{axis}=2"], 2))
    )
    assert [row[1] for row in divided] == pytest.approx([row[1] for row in whole], rel=1e-4)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nt=7",), "cannot divide the 4 x 4 x 4 x 7 lattice"),
        (("ranks_t=4",), "cannot divide"),
        (("task=operator", "precision=mixed"), "precision=mixed is for solvers"),
        (("save=x",), "only task=generate makes a configuration"),
    ],
)
def test_what_cannot_be_is_refused(program, tmp_path, words, expected):
    sizes = [size for size in SIZES if size.split("=")[0] not in [word.split("=")[0] for word in words]]
    done, _ = run(program, tmp_path, *sizes, *words)
    assert done.returncode == 2 and expected in done.stderr


def test_propagators_have_no_schedule(program):
    done = subprocess.run([program.path, "schedule", "task=propagator"], capture_output=True, text=True)
    assert done.returncode == 2 and "has no schedule with task=propagator" in done.stderr
