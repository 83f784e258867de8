"""Places that do not allow all: too little room, no right to write or to mount, no Fortran."""

import json
import subprocess

import pytest
from support import all_programs, start

ONCE = ("--preset", "small", "--repetitions", "1", "--warmup", "0", "samples=1", "elsewhere=false")


@pytest.fixture
def program():
    found = next((one for one in all_programs() if one.name == "formatted_io"), None)
    if found is None:
        pytest.skip("formatted_io was not built")
    return found


def rows(path, name):
    record = json.loads(path.read_text())
    return next(table["rows"] for table in record["tables"] if table["name"] == name)


def test_what_has_no_room_is_told_and_the_rest_goes_on(program, disk, tmp_path):
    path = tmp_path / "record.json"
    done = start(program, ["run", *ONCE, "items=2000", f"folder={disk}", "--record", str(path)])
    assert done.returncode == 0, done.stderr
    missing = dict(rows(path, "missing"))
    assert "bytes are wanted and" in missing["C by printf, scanf, complex*16, folder"]
    written = {(row[0], row[3]) for row in rows(path, "writes") if row[2] == "formatted"}
    assert ("C", "real*8") in written and ("C", "complex*16") not in written
    assert not list(disk.iterdir())


def test_every_place_is_measured_or_told(program, tmp_path):
    path = tmp_path / "record.json"
    words = ["run", *ONCE[:-1], "items=1000", "language=c", f"folder={tmp_path}", "--record", str(path)]
    done = start(program, words)
    assert done.returncode == 0, done.stderr
    told = {row[0] for row in rows(path, "places")} | {what for what, _ in rows(path, "missing")}
    on_tmpfs = rows(path, "places")[0][1] == "tmpfs"
    assert on_tmpfs or told & {"memory"}
    assert told & {"loop", "ext4 on a loop device"}
    assert {row[0] for row in rows(path, "writes")} == {"C"} and rows(path, "steps") == []
    assert not [one for one in tmp_path.iterdir() if one != path]
    mounts = subprocess.run(["cat", "/proc/self/mounts"], capture_output=True, text=True).stdout
    assert "hakaru-formatted" not in mounts


def test_without_the_right_to_mount_the_rest_goes_on(program, tmp_path):
    path = tmp_path / "record.json"
    words = [str(program.path), "run", *ONCE[:-1], "items=1000", "language=c", "--record", str(path)]
    dropped = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]
    done = subprocess.run([*dropped, *words], capture_output=True, text=True)
    if "setpriv" in done.stderr:
        pytest.skip("the right to mount cannot be given away here")
    assert done.returncode == 0, done.stderr
    missing = dict(rows(path, "missing"))
    assert "nothing may be mounted" in missing["ext4 on a loop device"]
    assert rows(path, "writes")


@pytest.mark.parametrize(
    ("folder", "why"), [("nowhere", "no folder can be made"), ("/proc", "no folder can be made in /proc")]
)
def test_a_folder_that_cannot_be_written_ends_with_4(program, tmp_path, folder, why):
    done = start(program, ["run", *ONCE, f"folder={tmp_path / folder}"])
    assert done.returncode == 4
    assert "files cannot be written" in done.stderr and why in done.stderr and "folder=PATH" in done.stderr


def test_verifying_without_room_ends_with_4(program, disk):
    done = start(program, ["verify", "--preset", "small", f"folder={disk}"])
    assert done.returncode == 4 and "files cannot be verified" in done.stderr
    assert not list(disk.iterdir())
