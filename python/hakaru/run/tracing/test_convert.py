"""What becomes of an archive that the disk cannot hold."""

import resource
import shutil
import subprocess

import pytest

from hakaru.facts import native
from hakaru.facts.traces.trace import CONVERTER, convert

CALLS = 200_000  # an archive of some megabytes


@pytest.fixture(scope="module")
def raw(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    mpi.trace("many_calls", folder / "raw", 1, str(CALLS))
    return folder / "raw"


def limit_files(size: int):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk_is_told_in_our_words_only(raw, tmp_path):
    for megabytes in (0.1, 1, 3):  # of the events' file: at its beginning, in its middle
        done = subprocess.run(
            [native.tool(CONVERTER), raw, tmp_path / "archive"],
            capture_output=True,
            text=True,
            preexec_fn=limit_files(int(megabytes * 2**20)),
            restore_signals=False,  # SIGXFSZ stays ignored: writing fails as on a full disk
            timeout=120,
        )
        assert done.returncode == 4, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"{CONVERTER}: the archive cannot be written") and "has room" in line
        assert list(tmp_path.iterdir()) == []


def test_a_small_disk(raw, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        why = convert(raw, disk / "archive")
        assert why and "OTF2]" not in why and len(why.splitlines()) == 1, why
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_disk_with_room(raw, tmp_path):
    assert convert(raw, tmp_path / "archive") is None
    shutil.rmtree(tmp_path / "archive")
