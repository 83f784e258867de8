"""Places that do not allow all items: no room, no loopback, no folder. What is missing is told, the rest goes on."""

import json
import subprocess

import pytest
from support import all_programs, start

ONCE = ("--preset", "small", "--repetitions", "1", "--warmup", "0", "samples=1", "least_seconds=1e-4")
ITEMS = "items=null call,Page Fault,TCP,TCP conn,Pipe,File reread"


@pytest.fixture
def program():
    found = next((one for one in all_programs() if one.name == "operating_system"), None)
    if found is None:
        pytest.skip("operating_system was not built")
    return found


def table(path, name):
    record = json.loads(path.read_text())
    return next(table["rows"] for table in record["tables"] if table["name"] == name)


def found(path):
    """(items measured, {item: why} of the others)"""
    return {row[1] for row in table(path, "items")}, {row[1]: row[2] for row in table(path, "missing")}


def test_without_room_files_are_missing(program, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    path = tmp_path / "record.json"
    try:
        done = start(program, ["run", *ONCE, ITEMS, f"folder={disk}", "--record", str(path)])
        left = list(disk.iterdir())
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)
    assert done.returncode == 0, done.stderr
    measured, missing = found(path)
    assert {"null call", "Pipe", "TCP"} <= measured
    assert set(missing) == {"Page Fault", "File reread"}
    assert all("No space left on device" in why for why in missing.values())
    assert "is not measured" in done.stdout and not left


def test_without_loopback_sockets_are_missing(program, tmp_path):
    path = tmp_path / "record.json"
    line = ["unshare", "--net", str(program.path), "run", *ONCE, ITEMS, "--record", str(path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=100)
    if "unshare" in done.stderr:
        pytest.skip("namespaces cannot be made here")
    assert done.returncode == 0, done.stderr
    measured, missing = found(path)
    assert {"null call", "Pipe", "Page Fault"} <= measured
    assert {"TCP", "TCP conn"} <= set(missing) and "loopback" in missing["TCP"]


def test_without_a_folder_files_are_missing(program, tmp_path):
    path = tmp_path / "record.json"
    done = start(program, ["run", *ONCE, ITEMS, f"folder={tmp_path / 'no'}", "--record", str(path)])
    assert done.returncode == 0, done.stderr
    measured, missing = found(path)
    assert "null call" in measured and set(missing) == {"Page Fault", "File reread"}


def test_a_name_that_is_no_item_is_a_usage_error(program):
    done = start(program, ["run", *ONCE, "items=nonsense"])
    assert done.returncode == 2 and "names no item of the summary" in done.stderr
