"""Clocks, threads, broken runs, full disks, and other languages."""

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter as Multiset
from itertools import pairwise

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.traces.layout import ABORTED, EXITED, FINALIZED, RUNNING
from hakaru.facts.traces.raw import raw_files
from hakaru.run.tracing.build import compile_library, sources
from hakaru.run.tracing.testing import FEW_CORES, PROGRAMS, collectives, items, messages


def tells_pages() -> bool:
    version = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
    try:
        with open("/sys/kernel/mm/transparent_hugepage/enabled") as enabled:
            return version >= (6, 7) and "[never]" not in enabled.read()
    except OSError:
        return False


def test_times_are_in_order(mpi, tmp_path):
    for file in mpi.trace("point_to_point", tmp_path / "raw"):
        end = 0
        for record in file.records():
            assert end <= record.enter <= record.leave
            end = record.leave
        assert file.header.last_ticks >= end
        assert file.header.first_valid == 2 and file.header.second_valid == 2


def test_without_an_invariant_counter_the_system_clock_is_used(mpi, tmp_path):
    program = str(mpi.compile("many_calls.c"))
    done = mpi.launch([program, "20"], tmp_path / "raw", 1, HAKARU_TRACE_CLOCK="monotonic")
    assert done.returncode == 0, done.stderr
    (file,) = raw_files(tmp_path / "raw")
    assert file.header.clock == 2 and file.header.seconds_per_tick == pytest.approx(1e-9, rel=1e-3)
    assert len(list(file.records())) == 22


def test_hosts_with_other_clocks_measure_their_offset(mpi, tmp_path):
    program = str(mpi.compile("many_calls.c"))
    name = "HAKARU_TRACE_BOOT_ID"
    own = ["-x", f"{name}=other"] if mpi.flavour == "openmpi" else ["-env", name, "other"]
    trace = ["-x", f"LD_PRELOAD={mpi.library}", "-x", f"HAKARU_TRACE_FOLDER={tmp_path / 'raw'}"]
    if mpi.flavour == "mpich":
        trace = ["-env", "LD_PRELOAD", str(mpi.library), "-env", "HAKARU_TRACE_FOLDER", str(tmp_path / "raw")]
    each = 2 if mpi.flavour == "openmpi" else 1
    command = [
        mpi.launcher,
        "-n",
        str(each),
        *trace,
        program,
        "10",
        ":",
        "-n",
        str(each),
        *trace,
        *own,
        program,
        "10",
    ]
    done = subprocess.run(command, env=os.environ | FEW_CORES, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    files = raw_files(tmp_path / "raw")
    assert len(files) == 2 * each
    for rank, header in enumerate(file.header for file in files):
        for when in ("first", "second"):
            if rank < each:
                assert getattr(header, f"{when}_valid") == 2 and getattr(header, f"{when}_offset_ns") == 0
            else:  # really the same clock
                assert getattr(header, f"{when}_valid") == 1 and getattr(header, f"{when}_round_trip_ns") > 0
                assert abs(getattr(header, f"{when}_offset_ns")) <= getattr(header, f"{when}_round_trip_ns")


def test_threads_keep_their_own_order(mpi, tmp_path):
    done = mpi.launch([str(mpi.compile("threads.c"))], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    if "no MPI_THREAD_MULTIPLE" in done.stdout:
        pytest.skip("this MPI library offers no MPI_THREAD_MULTIPLE")
    for rank, file in enumerate(raw_files(tmp_path / "raw")):
        tags: dict[int, set[int]] = {}
        end: dict[int, int] = {}
        seen = Multiset()
        for record in file.records():
            assert end.get(record.thread, 0) <= record.enter
            end[record.thread] = record.leave
            for item in record.items:
                if item.kind == ("isend" if rank == 0 else "recv_done"):
                    tags.setdefault(record.thread, set()).add(item.tag)
                    seen[item.tag] += 1
        assert sorted(map(sorted, tags.values())) == [[0], [1], [2], [3]]
        assert seen == dict.fromkeys(range(4), 500)
        assert file.header.thread_level == 3 and file.header.threads == 5


def test_the_most_memory_that_a_rank_came_to_use_is_seen(mpi, tmp_path):
    program, used = str(mpi.compile("memory.c")), 48 << 20
    nothing, something = (
        [header.memory_bytes for header in headers_of(mpi, [program, str(bytes_)], tmp_path / str(bytes_))]
        for bytes_ in (0, used)
    )
    assert all(0 < most < used / 4 for most in nothing)
    assert all(used <= most < 1.25 * used for most in something), "it was given back before MPI_Finalize"


@pytest.mark.skipif(
    not tells_pages(), reason="this kernel gives no large pages, or does not tell (Linux 6.7)"
)
def test_what_long_messages_send_from_large_pages_is_counted(mpi, tmp_path):
    """Of both ranks: a request, a message both ways and two of an all-to-all; rank 0 a send and a broadcast more."""
    program, each = str(mpi.compile("pages.c")), 1 << 20
    for pages in ("large", "small"):
        for header in headers_of(mpi, [program, pages], tmp_path / pages):
            assert header.long_bytes == (6 if header.rank == 0 else 4) * each
            assert header.large_page_bytes == (header.long_bytes if pages == "large" else 0)


def test_calls_that_come_late_are_told_how_cold_the_caches_are(mpi, tmp_path):
    """Of 48 MiB that are written between two barriers little else is left in any cache of a core."""
    late_s = 5e-6
    done = mpi.launch([str(mpi.compile("memory.c")), str(48 << 20), "200"], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    for file in raw_files(tmp_path / "raw"):
        records = list(file.records())
        sensed = {
            record.enter: item.ticks for record in records for item in record.items if item.kind == "sensed"
        }
        after = {
            next_.enter: (next_.enter - record.leave) * file.header.seconds_per_tick
            for record, next_ in pairwise(records)
        }
        assert all(after[enter] >= late_s for enter in sensed if enter in after)
        assert {enter for enter, gap_s in after.items() if gap_s > 2 * late_s} <= set(sensed)
        assert sensed[max(after, key=after.__getitem__)] > file.header.warm_ticks > 0


def test_what_others_took_of_the_processor_is_seen(mpi, tmp_path):
    """Two ranks on one core wait for each other, and the one has it while the other waits."""
    core = str(min(os.sched_getaffinity(0)))
    done = mpi.launch(["taskset", "-c", core, str(mpi.compile("memory.c")), "0", "60"], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    for file in raw_files(tmp_path / "raw"):
        took_s = {record.enter: record.leave - record.enter for record in file.records()}
        delays = [
            (item.ns, took_s[record.enter] * file.header.seconds_per_tick)
            for record in file.records()
            for item in record.items
            if item.kind == "delayed"
        ]
        assert delays and all(0 < ns <= 1.01e9 * seconds for ns, seconds in delays)


def headers_of(mpi, command, folder):
    done = mpi.launch(command, folder, 2)
    assert done.returncode == 0, done.stderr
    return [file.header for file in raw_files(folder)]


def test_uncovered_calls_are_counted(mpi, tmp_path):
    for file in mpi.trace("uncovered", tmp_path / "raw"):
        uncovered = {name: c.calls for name, c in file.counters().items() if not c.covered}
        assert uncovered == {"MPI_Grequest_start": 1, "MPI_Grequest_complete": 1}


@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("kill", RUNNING, None),
        ("abort", ABORTED, 5),
        ("exit", EXITED, None),
        ("_exit", EXITED, 7),
        ("_Exit", EXITED, 7),
        ("crash", RUNNING, None),
    ],
)
def test_a_broken_run_leaves_what_happened(mpi, tmp_path, how, status, code):
    done = mpi.launch([str(mpi.compile("endings.c")), how], tmp_path / "raw", 2)
    assert done.returncode != 0
    first, second = raw_files(tmp_path / "raw")
    assert second.header.status == status
    assert [tag for _, _, tag, _ in messages(second, "send")] == list(range(1000))
    assert [tag for _, _, tag, _ in messages(first, "recv")] == list(range(1000))
    assert first.header.status == RUNNING and first.open_call == "MPI_Recv"
    if code is not None:
        assert second.header.status_code == code


def test_a_file_that_cannot_grow_ends_the_recording_only(mpi, tmp_path):
    program = mpi.compile("many_calls.c")
    done = mpi.launch([str(program), "200000", str(4 << 20)], tmp_path / "raw", 1)
    assert done.returncode == 0, done.stderr
    assert "received 200000" in done.stdout and "cannot grow" in done.stderr
    (file,) = raw_files(tmp_path / "raw")
    kept = sum(1 for record in file.records() if record.call == "MPI_Sendrecv")
    assert 0 < kept < 200000
    assert kept + file.header.lost_records >= 200000 and file.header.lost_reason
    assert file.counters()["MPI_Sendrecv"].calls == 200000


def test_a_full_disk_ends_the_recording_only(mpi, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        done = mpi.launch([str(mpi.compile("many_calls.c")), "200000"], disk / "raw", 1)
        assert done.returncode == 0 and "received 200000" in done.stdout, done.stderr
        (file,) = raw_files(disk / "raw")
        assert file.header.lost_records > 0 and sum(1 for _ in file.records()) > 0
        del file
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_memory_is_bounded_and_records_are_small(mpi, tmp_path):
    (file,) = mpi.trace("many_calls", tmp_path / "raw", 1, "300000")
    assert file.header.records >= 300000
    size = file.header.records_end - file.header.records_offset
    assert size / (4 * 300000) <= 16.01  # Enter, MpiSend, MpiRecv, Leave


def test_a_folder_that_cannot_be_written_is_said(mpi, tmp_path):
    (tmp_path / "raw").write_text("a file, not a folder")
    done = mpi.launch([str(mpi.compile("many_calls.c")), "10"], tmp_path / "raw", 1)
    assert done.returncode == 0 and "received 10" in done.stdout
    assert "this rank is not recorded" in done.stderr


@pytest.fixture(scope="module")
def mpi4py() -> str:
    """A Python that has mpi4py, and the library it is linked with."""
    for python in (os.environ.get("HAKARU_TEST_MPI4PY_PYTHON"), sys.executable, shutil.which("python3")):
        if (
            python
            and subprocess.run([python, "-c", "import mpi4py.MPI"], capture_output=True).returncode == 0
        ):
            return python
    pytest.skip("no Python with mpi4py is here")


def test_mpi4py(mpi, mpi4py, tmp_path):
    from hakaru.run.launchers.executable import inspect_program

    program = inspect_program(mpi4py)
    if program.flavour != mpi.flavour:
        pytest.skip(f"mpi4py is linked with {program.flavour}")
    done = mpi.launch([mpi4py, str(PROGRAMS / "mpi4py_program.py")], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    first, second = raw_files(tmp_path / "raw")
    assert [(peer, tag, size) for _, peer, tag, size in messages(first, "send")] == [(1, 50, 80)]
    assert [(peer, tag, size) for _, peer, tag, size in messages(second, "recv")] == [(0, 50, 80)]
    for file in (first, second):
        (sums,) = [entry for call, entry in collectives(file).items() if call.startswith("MPI_Allreduce")]
        assert sums == [(-1, 80, 80, 0)]
        assert not [name for name, counter in file.counters().items() if not counter.covered]


@pytest.mark.parametrize("binding", ["MPIF_H", "USE_MPI", "USE_MPI_F08"])
def test_fortran(mpi, tmp_path, binding):
    compiler = f"mpifort.{mpi.flavour}"
    if not shutil.which(compiler) or not shutil.which("gfortran"):
        pytest.skip("no Fortran compiler is installed here")
    program = mpi.compile("fortran.F90", compiler, f"-D{binding}")
    done = mpi.launch([str(program)], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    first, second = raw_files(tmp_path / "raw")
    assert [f.header.status for f in (first, second)] == [FINALIZED] * 2
    assert messages(first, "send") == [("MPI_Send", 1, 40, 24)]
    assert messages(second, "recv") == [("MPI_Recv", 0, 40, 24)]
    for other, file in ((1, first), (0, second)):
        assert messages(file, "recv_done") == [("MPI_Waitall", other, 41, 16)]
        assert collectives(file)["MPI_Allreduce"] == [(-1, 24, 24, 1)]
        assert "MPI_Barrier" not in collectives(file)  # recording was off
        calls = [record.call for record in file.records()]
        assert (
            calls[0].startswith("MPI_Init")
            and calls[-1] == "MPI_Finalize"
            and calls.count("MPI_Waitall") == 1
        )
    (copy,) = [number for number, c in first.definitions.communicators.items() if c.kind == 2]
    assert [item.object for _, item in items(first, "send")] == [copy]


def test_the_table_must_fit_mpi_h(mpi, tmp_path):
    table = (sources() / "preload" / "calls.toml").read_text()
    (tmp_path / "calls.toml").write_text(
        table.replace(
            'parameters = "sendbuf, recvbuf, count, datatype, op, comm"', 'parameters = "sendbuf, comm"'
        )
    )
    with pytest.raises(UserError, match="parameters in mpi.h"):
        compile_library(mpi.compiler, tmp_path / "tracer", tmp_path / "calls.toml")


def test_the_cost_of_tracing_is_sampled_and_growth_of_the_file_told(mpi, tmp_path):
    (file,) = mpi.trace("many_calls", tmp_path / "raw", 1, "40000")
    counter = file.counters()["MPI_Sendrecv"]
    assert 0 < counter.cost_samples <= counter.calls // 16
    assert 0 < counter.least_cost_ticks <= counter.cost_ticks / counter.cost_samples
    data = (tmp_path / "raw" / "rank-0000000.hkr").read_bytes()
    flush = struct.pack("<II", 4095 | 3 << 12, 7)
    assert data.count(flush) >= len(data) // (2 << 20)
    begin, end = struct.unpack_from("<QQ", data, data.index(flush) + 8)
    assert file.header.start_ticks < begin < end < file.header.last_ticks


def test_without_calls_only_the_ends_are_recorded(mpi, tmp_path):
    program = str(mpi.compile("many_calls.c"))
    done = mpi.launch([program, "1000"], tmp_path / "raw", 1, HAKARU_TRACE_CALLS="0")
    assert done.returncode == 0, done.stderr
    (file,) = raw_files(tmp_path / "raw")
    assert [record.call for record in file.records()] == ["MPI_Init", "MPI_Finalize"]
    assert file.header.status == FINALIZED
