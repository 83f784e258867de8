"""Files of programs that write each byte once, twice, or not at all."""

import subprocess

import pytest

from hakaru.facts.traces.watched import DamagedUse, WatchedProcess
from hakaru.run.tracing.file_use import file_use
from hakaru.run.tracing.testing import PROGRAMS as PRELOAD_PROGRAMS
from hakaru.run.tracing.testing import Mpi
from hakaru.run.tracing.testing_watched import PROGRAMS, Programs, Run, watched

BYTES, RANKS = 8000, 3
POSIX = ("pwrite", "write", "stream")
MPI = ("mpi_at", "mpi_at_all", "mpi_view")


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Programs:
    return Programs(tmp_path_factory.mktemp("programs"))


def writers(mpi: Mpi, folder, way: str, wrong: int):
    """The file that the ranks wrote, the last of them ``wrong`` bytes away from its place."""
    source = PROGRAMS / "writers.c"
    program = mpi.folder / "writers"
    if not program.exists():
        subprocess.run(
            [mpi.compiler.path, "-O1", str(source), "-o", str(program)], check=True, capture_output=True
        )
    exported = {"HAKARU_TRACE_FILES": "1"}
    given = [word for name, value in exported.items() for word in _exporting(mpi, name, value)]
    command = [*given, str(program), str(folder / "solution.dat"), way, str(wrong)]
    done = mpi.launch(command, folder / "raw", RANKS)
    assert done.returncode == 0, done.stderr[-2000:]
    return Run(folder / "raw", done)


def _exporting(mpi: Mpi, name: str, value: str) -> list[str]:
    return ["-x", f"{name}={value}"] if mpi.flavour == "openmpi" else ["-genv", name, value]


def told(run: Run):
    """(ranges written twice with their ranks, holes) of the file."""
    places, found = run.file("solution.dat").places, run.files
    assert places.unknown == ()
    twice = [(one.first, one.last, [found.processes[i].rank for i in one.processes]) for one in places.twice]
    return twice, [(one.first, one.last) for one in places.holes]


@pytest.mark.parametrize("way", [*POSIX, *MPI])
def test_a_correct_writer_has_nothing_to_tell(mpi, tmp_path, way):
    run = writers(mpi, tmp_path, way, 0)
    file = run.file("solution.dat")
    assert told(run) == ([], [])
    assert (
        file.bytes_written == RANKS * BYTES == (tmp_path / "solution.dat").stat().st_size == file.places.bytes
    )
    assert [process.rank for process in run.files.processes] == list(range(RANKS))
    written = [use for use in file.uses if use.operation == "write" and use.layer != "below mpi"]
    assert {use.phase for use in written} == {"output"} and all(use.seconds > 0 for use in written)
    assert [use.bytes for use in written] == [BYTES] * RANKS


@pytest.mark.parametrize("way", [*POSIX, "mpi_at", "mpi_at_all"])
def test_bytes_that_were_written_twice_or_by_nobody(mpi, tmp_path, way):
    for wrong, twice, holes in (
        (-100, [(15900, 15999, [1, 2])], []),
        (100, [], [(16000, 16099)]),
    ):
        folder = tmp_path / str(wrong)
        folder.mkdir()
        assert told(writers(mpi, folder, way, wrong)) == (twice, holes)


def test_a_view_with_blocks_in_turns(mpi, tmp_path):
    """Blocks of 40 bytes in turns; the last rank's stand 20 bytes early: half a block over the one before, and a hole behind."""
    run = writers(mpi, tmp_path, "mpi_view", -20)
    places = run.file("solution.dat").places
    blocks = BYTES // 40
    assert places.twice_bytes == blocks * 20
    assert [(one.first, one.last) for one in places.twice[:3]] == [
        (60 + 120 * i, 79 + 120 * i) for i in range(3)
    ]
    assert places.hole_bytes == (blocks - 1) * 20 and (places.holes[0].first, places.holes[0].last) == (
        100,
        119,
    )
    assert all([run.files.processes[i].rank for i in one.processes] == [1, 2] for one in places.twice)


def test_a_mapped_file_is_named_and_not_judged(mpi, tmp_path):
    run = writers(mpi, tmp_path, "map", 0)
    file = run.file("solution.dat")
    if mpi.flavour == "mpich":  # its UCX puts another function in the place of mmap
        assert file.places is None
        return
    assert [use.operation for use in file.uses].count("map") == RANKS
    assert file.places.unknown and "mapped" in file.places.unknown[0] and file.places.holes == ()


def test_bytes_that_come_from_elsewhere_are_no_holes(programs, tmp_path):
    """A watched process writes bytes 0 to 9 and 100 to 109; what lies between is filled by one that is not watched."""
    script = (
        "import os, subprocess\n"
        "f = open('mixed.dat', 'wb', buffering=0); f.write(b'x' * 10); f.seek(100); f.write(b'x' * 10); f.close()\n"
        "fill = {'LD_PRELOAD': ''} | {k: v for k, v in os.environ.items() if k not in ('LD_PRELOAD', 'HAKARU_TRACE_FOLDER')}\n"
        "subprocess.run(['dd', 'if=/dev/urandom', 'of=mixed.dat', 'bs=1', 'seek=10', 'count=90', 'conv=notrunc'], env=fill)\n"
    )
    places = watched([_python(), "-c", script], tmp_path).file("mixed.dat").places
    assert places.holes == () and "nobody was seen to write" in places.unknown[0]


def test_many_ways_of_mpi_io(mpi, tmp_path):
    """The program of the tracer's own test: reads, writes, seeks, at once and later."""
    program = mpi.folder / "files"
    if not program.exists():
        source = PRELOAD_PROGRAMS / "files.c"
        subprocess.run([mpi.compiler.path, str(source), "-o", str(program)], check=True, capture_output=True)
    words = [*_exporting(mpi, "HAKARU_TRACE_FILES", "1"), str(program), str(tmp_path / "data")]
    done = mpi.launch(words, tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    file = Run(tmp_path / "raw", done).file("data")
    uses = [use for use in file.uses if use.layer == "mpi"]
    assert {use.operation for use in uses} >= {"open", "close", "read", "write", "seek", "sync"}
    assert "shared file pointer" in " ".join(file.places.unknown)


def test_characters_are_found_when_the_file_is_closed(programs, tmp_path):
    file = watched([programs.compile("behaviours.c"), "characters", "1"], tmp_path).file("characters.txt")
    assert file.bytes_written == 1510 == (tmp_path / "characters.txt").stat().st_size
    assert file.places.holes == () and file.places.bytes == 1510


def test_signal_handlers_that_write(programs, tmp_path):
    run = watched([programs.compile("behaviours.c"), "writes_in_handler", "100"], tmp_path)
    file = run.file("handler.dat")
    assert 1_000_000 <= file.bytes_written <= (tmp_path / "handler.dat").stat().st_size


def test_a_program_that_closes_all_descriptors_keeps_its_own_file(programs, tmp_path):
    run = watched([programs.compile("behaviours.c"), "closes_all", "3000"], tmp_path)
    assert run.file("own.txt").bytes_written == 4 and (tmp_path / "own.txt").read_text() == "mine"


def test_a_program_without_files_leaves_nothing(programs, tmp_path):
    run = watched([programs.compile("behaviours.c"), "compute", "1"], tmp_path)
    assert not list(run.raw.glob("*.hkf")) and file_use(run.raw) is None


def test_renamed_truncated_and_removed_files(programs, tmp_path):
    script = (
        "import os\n"
        "f = open('part.tmp', 'wb', buffering=0); f.write(b'x' * 100); f.close(); os.rename('part.tmp', 'whole.dat')\n"
        "f = open('short.dat', 'wb', buffering=0); f.write(b'x' * 100); f.truncate(10); f.seek(20); f.write(b'y'); f.close()\n"
        "for i in range(2): f = open('again.dat', 'wb', buffering=0); f.write(b'x' * 9); f.close(); os.unlink('again.dat')\n"
    )
    run = watched([_python(), "-c", script], tmp_path)
    whole = run.file("whole.dat")
    assert whole.bytes_written == 100 and whole.places.holes == ()
    places = run.file("short.dat").places
    assert [(one.first, one.last) for one in places.holes] == [(10, 19)] and places.bytes == 21
    assert all(file.places.twice == () for file in run.files.files if file.places)


def _python() -> str:
    import sys

    return sys.executable


def test_damaged_files_are_refused(programs, tmp_path):
    run = watched([programs.compile("behaviours.c"), "characters", "1"], tmp_path)
    (path,) = run.raw.glob("*.hkf")
    good = path.read_bytes()

    def refused(data: bytes) -> bool:
        path.write_bytes(data)
        try:
            WatchedProcess.read(path)
        except DamagedUse:
            return file_use(run.raw).warnings != ()
        return False

    assert not refused(good)
    assert refused(b"") and refused(good[:300]) and refused(b"X" + good[1:]) and refused(good[:1100])
    for damage in (b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\x63\x01\0\0"):
        assert refused(good[:1024] + damage + good[1028:])


def test_a_full_disk_ends_the_recording_only(programs, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        run = watched([programs.compile("behaviours.c"), "characters", "1"], tmp_path, raw=disk / "raw")
        assert "cannot be recorded any more" in run.done.stderr
        assert (tmp_path / "characters.txt").stat().st_size == 1510
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)
