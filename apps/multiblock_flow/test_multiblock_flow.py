"""What an engineer may do with multiblock_flow, and what may go wrong: grids, solutions, ways to write them, damaged results."""

import json
import shutil
import struct
import subprocess

import pytest
from support import all_programs, start

HEADER = 4096
ONCE = ("--repetitions", "1", "--warmup", "0")
SIZES = ("nx=12", "ny=10", "nz=6", "scheme=muscl")
WAYS = ("collective", "independent", "master", "split")


@pytest.fixture(scope="module")
def program():
    found = [one for one in all_programs() if one.name == "multiblock_flow"]
    if not found:
        pytest.skip("multiblock_flow was not built")
    return found[0]


def run(program, folder, *words, ranks=1):
    record = folder / "record.json"
    record.unlink(missing_ok=True)
    done = start(program, ["run", *words, *ONCE, "--record", str(record)], ranks=ranks)
    return done, json.loads(record.read_text()) if record.exists() else None


def good(program, folder, *words, ranks=1):
    done, record = run(program, folder, *words, ranks=ranks)
    assert done.returncode == 0, done.stdout + done.stderr
    return record


@pytest.fixture(scope="module")
def solution(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("solution")
    good(program, folder, *SIZES, "steps=2", f"output={folder / 'two'}")
    return folder / "two"


def test_every_check_fails_on_a_damaged_result(program, tmp_path):
    record_file = tmp_path / "record.json"
    done = start(program, ["verify", "--damage", "--record", str(record_file)])
    assert done.returncode == 3
    checks = json.loads(record_file.read_text())["checks"]
    assert len(checks) > 30
    assert [check["name"] for check in checks if check["passed"]] == []


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_goes_on_from_a_file_with_the_same_bits(program, solution, tmp_path, ranks):
    good(program, tmp_path, *SIZES, "steps=4", f"output={tmp_path / 'whole'}")
    good(
        program,
        tmp_path,
        *SIZES,
        "steps=2",
        f"restart={solution}",
        f"output={tmp_path / 'rest'}",
        ranks=ranks,
    )
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()


def records(data):
    """Contents of the records of a Fortran file."""
    found, at = [], 0
    while at < len(data):
        length = struct.unpack_from("<I", data, at)[0]
        assert struct.unpack_from("<I", data, at + 4 + length)[0] == length
        found.append(data[at + 4 : at + 4 + length])
        at += length + 8
    return found


@pytest.mark.parametrize("way", WAYS[:3])
@pytest.mark.parametrize(("ranks", "blocks"), [(2, (0, 0, 0)), (3, (3, 2, 1)), (2, (1, 1, 3))])
def test_the_file_is_that_of_one_process(program, solution, tmp_path, way, ranks, blocks):
    words = [f"blocks_{axis}={count}" for axis, count in zip("xyz", blocks, strict=True)]
    file = tmp_path / "file"
    good(program, tmp_path, *SIZES, "steps=2", *words, f"output={file}", f"way={way}", ranks=ranks)
    assert file.read_bytes() == solution.read_bytes()
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_a_file_a_process_holds_fortran_records(program, solution, tmp_path):
    file = tmp_path / "file"
    good(program, tmp_path, *SIZES, "steps=2", "blocks_z=2", f"output={file}", "way=split", ranks=2)
    whole, cells = solution.read_bytes()[HEADER:], 12 * 10 * 3
    for rank in (0, 1):
        first, *unknowns = records((tmp_path / f"file.000{rank}").read_bytes())
        assert struct.unpack_from("<i", first)[0] == 2 and len(first) == 12
        assert len(unknowns) == 5
        for number, content in enumerate(unknowns):
            begin = 8 * cells * (2 * number + rank)
            assert content == whole[begin : begin + 8 * cells]


def changed(path, folder, change):
    copy = folder / "damaged"
    shutil.copy(path, copy)
    copy.write_bytes(change(bytearray(copy.read_bytes())))
    return copy


def put(data, at, number):
    data[at : at + 8] = struct.pack("<d", number)
    return data


DAMAGES = {
    "truncated": (lambda data: data[:-100], "it is truncated: it has"),
    "truncated in its header": (lambda data: data[:50], "it is truncated: it ends after 50 B"),
    "empty": (lambda data: data[:0], "it is truncated"),
    "longer": (lambda data: data + b"1", "longer than it says"),
    "no solution": (lambda data: b"x" * len(data), "not a solution"),
    "NaN": (lambda data: put(data, HEADER + 800, float("nan")), "cell 101 has no finite state"),
    "infinity": (lambda data: put(data, HEADER + 16, float("inf")), "cell 3 has no finite state"),
    "a negative density": (lambda data: put(data, HEADER, -1.0), "cell 1 has no finite state"),
    "another bit": (lambda data: data[:HEADER] + bytes([data[HEADER] ^ 1]) + data[HEADER + 1 :], "digest"),
    "no time": (lambda data: data.replace(b'"time"', b'"emit"', 1), "no number `time`"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_solution_is_refused(program, solution, tmp_path, damage):
    change, words = DAMAGES[damage]
    path = changed(solution, tmp_path, change)
    ranks = 2 if damage in ("NaN", "another bit") else 1
    done, _ = run(program, tmp_path, *SIZES, f"restart={path}", ranks=ranks)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot restart from" in done.stderr and words in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nx=13",), "its zones have [[12,10,6]] cells, not [[13,10,6]]"),
        (("restart=none",), "there is no such file"),
    ],
)
def test_a_solution_of_other_zones_is_refused(program, solution, tmp_path, words, expected):
    given = {word.split("=")[0]: word for word in (*SIZES, f"restart={solution}", *words)}
    done, _ = run(program, tmp_path, *given.values())
    assert done.returncode == 2 and expected in done.stderr


def test_more_ranks_than_blocks_are_refused(program, tmp_path):
    done, _ = run(program, tmp_path, *SIZES, "blocks_x=1", "blocks_y=1", "blocks_z=1", ranks=2)
    assert done.returncode == 2 and "1 blocks are fewer than 2 ranks" in done.stderr


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_leaves_no_part_of_a_solution(program, tmp_path, way):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        words = ("nx=40", "ny=40", "nz=4", "steps=1", f"output={disk / 'file'}", f"way={way}")
        done, _ = run(program, tmp_path, *words, ranks=2)
        assert done.returncode == 4, done.stdout + done.stderr
        assert f"cannot write {disk / 'file'}" in done.stderr
        assert not list(disk.iterdir())
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_folder_that_cannot_be_written_is_found_before_the_run(program, tmp_path):
    done, _ = run(program, tmp_path, *SIZES, f"output={tmp_path / 'none' / 'file'}")
    assert done.returncode == 4 and "cannot write" in done.stderr


def box(nx, ny, nz, begin=0.0):
    """A PLOT3D zone of unit cells: numbers of nodes, and coordinates."""
    points = [(begin + i, j, k) for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    return f"{nx + 1} {ny + 1} {nz + 1}", [[point[axis] for point in points] for axis in range(3)]


def grid_text(*zones):
    lines = [str(len(zones)), *(extents for extents, _ in zones)]
    lines += [" ".join(map(str, along)) for _, coordinates in zones for along in coordinates]
    return "\n".join(lines) + "\n"


CHANNEL = """
grid = "grid.xyz"
[[connection]]
zones = [1, 2]
faces = ["i+", "i-"]
[[boundary]]
zone = 1
face = "i-"
kind = "inflow"
[[boundary]]
zone = 2
face = "i+"
kind = "outflow"
[flow]
density = 1.0
velocity = [0.5, 0.0, 0.0]
pressure = 1.0
"""
WALLS = "".join(
    f'[[boundary]]\nzone = {zone}\nface = "{face}"\nkind = "wall"\n'
    for zone in (1, 2)
    for face in ("j-", "j+", "k-", "k+")
)


def channel(folder, text=CHANNEL + WALLS, grid=None):
    (folder / "grid.xyz").write_text(grid or grid_text(box(6, 4, 3), box(5, 4, 3, begin=6.0)))
    (folder / "channel.toml").write_text(text)
    return f"input={folder / 'channel.toml'}"


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_flow_along_walls_stays_as_it_is(program, tmp_path, ranks):
    file = tmp_path / "file"
    good(program, tmp_path, channel(tmp_path), "scheme=muscl", "steps=5", f"output={file}", ranks=ranks)
    numbers = struct.unpack(f"<{5 * 4 * 3 * 11}d", file.read_bytes()[HEADER:])
    for zone, cells in ((0, 72), (1, 60)):
        begin = 0 if zone == 0 else 5 * 72
        for unknown, expected in enumerate((1.0, 0.5, 0.0, 0.0, 2.625)):
            part = numbers[begin + unknown * cells : begin + (unknown + 1) * cells]
            assert max(abs(number - expected) for number in part) < 1e-14


BAD = {
    "a gap": (None, lambda: grid_text(box(6, 4, 3), box(5, 4, 3, begin=6.5)), "nodes are 0.5 apart at node 1 1"),
    "other cells": (None, lambda: grid_text(box(6, 4, 3), box(5, 4, 2, begin=6.0)), "4 x 3 cells lie on 4 x 2"),
    "a missing face": (("k+", "k-"), None, "face k- of zone 1 is named twice"),
    "no kind": (('kind = "wall"', 'kind = "lid"'), None, "kind `lid` should be wall, inflow or outflow"),
    "no such face": (("i-", "l-"), None, "face `l-` should be"),
    "no such zone": (("[1, 2]", "[1, 3]"), None, "a zone should be a number from 1 to 2"),
    "no flow": (("density = 1.0", "density = nan"), None, "flow.density should be a number above 0"),
    "not TOML": (("grid =", "grid"), None, "line 2"),
    "a key": (("[flow]", "[flaw]"), None, "it has `flaw`"),
    "NaN": (None, lambda: grid_text(box(6, 4, 3), box(5, 4, 3, 6.0)).replace("0.0", "nan", 1), "`nan`, no finite number"),
    "an end": (None, lambda: grid_text(box(6, 4, 3), box(5, 4, 3, 6.0))[:-20], "it ends at z of node"),
    "swapped nodes": (None, lambda: grid_text(box(6, 4, 3), box(5, 4, 3, 6.0)).replace(" 6.0 7.0 ", " 7.0 6.0 ", 1), "do not meet"),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_bad_zones_are_refused(program, tmp_path, bad):
    change, grid, expected = BAD[bad]
    text = CHANNEL + WALLS
    if change:
        text = text.replace(*change)
    done, _ = run(program, tmp_path, channel(tmp_path, text, grid() if grid else None))
    assert done.returncode == 2, done.stdout + done.stderr
    assert expected in done.stderr


def test_a_face_that_nobody_names_is_refused(program, tmp_path):
    done, _ = run(program, tmp_path, channel(tmp_path, CHANNEL))
    assert done.returncode == 2 and "face j- of zone 1 has no connection and no boundary" in done.stderr


def test_a_left_handed_grid_is_refused(program, tmp_path):
    extents, (x, y, z) = box(6, 4, 3)
    flat = grid_text((extents, [x, y, [-number for number in z]]), box(5, 4, 3, begin=6.0))
    text = CHANNEL.replace('[[connection]]\nzones = [1, 2]\nfaces = ["i+", "i-"]\n', "") + WALLS
    text += '[[boundary]]\nzone = 1\nface = "i+"\nkind = "wall"\n[[boundary]]\nzone = 2\nface = "i-"\nkind = "wall"\n'
    done, _ = run(program, tmp_path, channel(tmp_path, text, flat))
    assert done.returncode == 2 and "has a volume of -1" in done.stderr
