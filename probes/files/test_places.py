"""Places that do not allow all: too little room, no right to write, no disk behind the files."""

import json

import pytest
from support import all_programs, start

ONCE = ("--preset", "small", "--repetitions", "1", "--warmup", "0", "samples=1", "bytes=65536", "files=3")


@pytest.fixture
def program():
    found = next((one for one in all_programs() if one.name == "files"), None)
    if found is None:
        pytest.skip("files was not built")
    return found


def rows(path, name):
    record = json.loads(path.read_text())
    return next(table["rows"] for table in record["tables"] if table["name"] == name)


@pytest.mark.parametrize("ranks", [1, 2])
def test_what_has_no_room_is_told_and_the_rest_goes_on(program, disk, tmp_path, ranks):
    path = tmp_path / "record.json"
    done = start(program, ["run", *ONCE, f"folder={disk}", "--record", str(path)], ranks=ranks)
    assert done.returncode == 0, done.stderr
    assert "bytes are wanted" in dict(rows(path, "missing"))["collective, 256 blocks"]
    assert {row[0] for row in rows(path, "writes")} >= {"split", "independent"}  # 4096 bytes have room
    assert [row[1:] for row in rows(path, "places")] == [["tmpfs", "memory"]]
    assert not list(disk.iterdir())


def test_arrays_of_libraries_are_measured_or_told_as_missing(program, tmp_path):
    path = tmp_path / "record.json"
    done = start(program, ["run", *ONCE, f"folder={tmp_path}", "--record", str(path)], ranks=2)
    assert done.returncode == 0, done.stderr
    told = dict(rows(path, "missing"))
    written = {(row[0], row[1]) for row in rows(path, "writes")}
    for library in ("HDF5", "PnetCDF"):
        for way in (f"{library}, independent", f"{library}, collective"):
            if way in told:
                assert "built without" in told[way]
            else:
                assert {(way, blocks) for blocks in (1, 4, 16, 256)} <= written


def test_a_folder_that_is_not_there_ends_with_4(program, tmp_path):
    done = start(program, ["run", *ONCE, f"folder={tmp_path / 'nowhere'}"], ranks=2)
    assert done.returncode == 4
    assert "files cannot be written" in done.stderr and "folder=PATH" in done.stderr


def test_a_folder_without_the_right_to_write_ends_with_4(program, tmp_path):
    done = start(program, ["run", *ONCE, "folder=/proc"])  # where not even root may make a folder
    assert done.returncode == 4 and "no folder can be made in /proc" in done.stderr
