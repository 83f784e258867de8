"""The preloaded tracer against programs whose messages are known."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter as Multiset
from pathlib import Path

import pytest

from hakaru.tracing.build import compile_library, inspect, sources
from hakaru.tracing.raw import ABORTED, EXITED, FINALIZED, RUNNING, RawFile, raw_files

PROGRAMS = sources() / "preload" / "tests"
FEW_CORES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
DOUBLE, INT = 8, 4
ANY, NO_PEER = -2, -1


class Mpi:
    """One MPI library: its tracer, its compiler and its launcher."""

    def __init__(self, flavour: str, folder: Path):
        self.flavour, self.folder = flavour, folder
        self.compiler = inspect(f"mpicc.{flavour}")
        self.launcher = f"mpirun.{flavour}"
        self.library = compile_library(self.compiler, folder / "tracer")
        self.version = int(re.search(r"#define MPI_VERSION\s+(\d)", self.compiler.header).group(1))

    def compile(self, source: str, compiler: str | None = None, *options: str) -> Path:
        program = self.folder / "-".join([Path(source).stem, *options]).replace("-D", "")
        if not program.exists():
            command = [
                compiler or self.compiler.path,
                "-O1",
                *options,
                str(PROGRAMS / source),
                "-o",
                str(program),
            ]
            subprocess.run([*command, "-lpthread"], check=True, capture_output=True)
        return program

    def launch(
        self, command: list[str], folder: Path, ranks: int, library: Path | None = None, **environment: str
    ):
        preload = str(library or self.library)
        if self.flavour == "openmpi":
            inject = ["-x", f"LD_PRELOAD={preload}", "-x", f"HAKARU_TRACE_FOLDER={folder}"]
        else:
            inject = ["-genv", "LD_PRELOAD", preload, "-genv", "HAKARU_TRACE_FOLDER", str(folder)]
        return subprocess.run(
            [self.launcher, "-n", str(ranks), *inject, *command],
            env=os.environ | FEW_CORES | environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def trace(
        self, name: str, folder: Path, ranks: int = 2, *arguments: str, library: Path | None = None
    ) -> list[RawFile]:
        done = self.launch([str(self.compile(f"{name}.c")), *arguments], folder, ranks, library)
        assert done.returncode == 0, done.stderr[-2000:]
        files = raw_files(folder)
        assert [file.header["rank"] for file in files] == list(range(ranks))
        assert all(file.header["status"] == FINALIZED for file in files)
        return files


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def mpi(request, tmp_path_factory) -> Mpi:
    if not shutil.which(f"mpicc.{request.param}") or not shutil.which(f"mpirun.{request.param}"):
        pytest.skip(f"{request.param} is not installed here")
    return Mpi(request.param, tmp_path_factory.mktemp(request.param))


def items(file: RawFile, *kinds: str) -> list[tuple]:
    """(call, item) of these kinds in order."""
    return [(record.call, item) for record in file.records() for item in record.items if item.kind in kinds]


def messages(file: RawFile, *kinds: str) -> list[tuple]:
    """(call, peer, tag, bytes) of these kinds in order."""
    return [(call, item.peer, item.tag, item.bytes) for call, item in items(file, *kinds)]


SENT = [
    ("MPI_Send", 1, 10, 8),
    ("MPI_Ssend", 1, 11, 16),
    ("MPI_Bsend", 1, 12, 24),
    ("MPI_Rsend", 1, 13, 32),
    ("MPI_Send", 1, 14, 0),
    ("MPI_Send", 1, 15, 24),
    ("MPI_Send", NO_PEER, 16, 0),
    ("MPI_Send", 1, 20, 8),
    ("MPI_Send", 1, 21, 16),
    ("MPI_Send", 1, 22, 24),
    ("MPI_Send", 1, 23, 32),
    ("MPI_Sendrecv", 1, 30, 16),
    ("MPI_Sendrecv_replace", 1, 32, 40),
]


def check_point_to_point(files: list[RawFile]) -> None:
    sender, receiver = files
    assert messages(sender, "send") == SENT
    assert messages(sender, "recv") == [("MPI_Sendrecv", 1, 31, 24), ("MPI_Sendrecv_replace", 1, 33, 40)]
    assert messages(receiver, "recv", "recv_done") == [
        ("MPI_Recv", 0, 10, 8),
        ("MPI_Recv", 0, 11, 16),
        ("MPI_Recv", 0, 12, 24),
        ("MPI_Wait", 0, 13, 32),
        ("MPI_Recv", 0, 14, 0),
        ("MPI_Recv", 0, 15, 24),
        ("MPI_Recv", NO_PEER, ANY, 0),  # the standard says so of a receive from MPI_PROC_NULL
        ("MPI_Recv", 0, 20, 8),
        ("MPI_Recv", 0, 21, 16),
        ("MPI_Mrecv", 0, 22, 24),
        ("MPI_Wait", 0, 23, 32),
        ("MPI_Sendrecv", 0, 30, 16),
        ("MPI_Sendrecv_replace", 0, 32, 40),
    ]


def test_blocking_point_to_point(mpi, tmp_path):
    files = mpi.trace("point_to_point", tmp_path / "raw")
    check_point_to_point(files)
    sender, receiver = files
    assert [item.flags for call, item in items(sender, "send")][:4] == [0, 1, 2, 3]
    assert messages(receiver, "probed") == [
        ("MPI_Probe", 0, 20, 8),
        ("MPI_Iprobe", 0, 21, 16),
        ("MPI_Mprobe", 0, 22, 24),
        ("MPI_Improbe", 0, 23, 32),
    ]
    by_tag = {item.tag: item.flags for call, item in items(receiver, "recv", "recv_done")}
    assert by_tag[10] == 1 | 2 and by_tag[11] == 0 and by_tag[12] == 1 and by_tag[14] == 2
    assert by_tag[22] == 4 | 1 and by_tag[23] == 4
    counters = sender.counters()
    assert (counters["MPI_Send"].calls, counters["MPI_Send"].bytes_sent) == (8, 8 + 24 + 8 + 16 + 24 + 32)
    assert not [name for file in files for name, counter in file.counters().items() if not counter.covered]


def test_times_are_in_order(mpi, tmp_path):
    for file in mpi.trace("point_to_point", tmp_path / "raw"):
        end = 0
        for record in file.records():
            assert end <= record.enter <= record.leave
            end = record.leave
        assert file.header["last_ticks"] >= end
        assert file.header["first_valid"] == 2 and file.header["second_valid"] == 2


def test_without_an_invariant_counter_the_system_clock_is_used(mpi, tmp_path):
    program = str(mpi.compile("many_calls.c"))
    done = mpi.launch([program, "20"], tmp_path / "raw", 1, HAKARU_TRACE_CLOCK="monotonic")
    assert done.returncode == 0, done.stderr
    (file,) = raw_files(tmp_path / "raw")
    assert file.header["clock"] == 2 and file.seconds_per_tick == pytest.approx(1e-9, rel=1e-3)
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
                assert header[f"{when}_valid"] == 2 and header[f"{when}_offset_ns"] == 0
            else:  # really the same clock
                assert header[f"{when}_valid"] == 1 and header[f"{when}_round_trip_ns"] > 0
                assert abs(header[f"{when}_offset_ns"]) <= header[f"{when}_round_trip_ns"]


def test_a_call_missing_in_the_table_is_counted_and_named(mpi, tmp_path):
    table = (sources() / "preload" / "calls.toml").read_text()
    line = '  { name = "Ssend", mode = "SYNCHRONOUS" },\n'
    assert line in table
    (tmp_path / "calls.toml").write_text(table.replace(line, ""))
    library = compile_library(mpi.compiler, tmp_path / "tracer", tmp_path / "calls.toml")
    files = mpi.trace("point_to_point", tmp_path / "raw", library=library)
    uncovered = {name: counter.calls for name, counter in files[0].counters().items() if not counter.covered}
    assert uncovered == {"MPI_Ssend": 1}
    with pytest.raises(AssertionError):
        check_point_to_point(files)


def test_requests_complete_once(mpi, tmp_path):
    for file in mpi.trace("requests", tmp_path / "raw"):
        begun = Multiset(item.request for _, item in items(file, "isend", "irecv"))
        ended = Multiset(
            item.request for _, item in items(file, "send_done", "recv_done", "cancelled", "freed")
        )
        assert max(begun.values()) == 1 and begun == ended
        wanted = {item.request: item for _, item in items(file, "irecv")}
        for _, item in items(file, "recv_done"):
            assert wanted[item.request].tag in (item.tag, ANY) and wanted[item.request].peer in (
                item.peer,
                ANY,
            )


def test_requests_hold_what_was_received(mpi, tmp_path):
    first, second = mpi.trace("requests", tmp_path / "raw")
    done = messages(first, "recv_done")
    assert sorted(entry[1:] for entry in done if entry[2] < 200) == [
        (1, tag, INT) for tag in [100, 101, 102, 103, 110, 111, 112, 113]
    ]
    assert {call for call, *_, tag, _ in done if tag < 200} >= {"MPI_Waitany", "MPI_Test", "MPI_Testany"}
    assert [entry for entry in done if entry[2] == 200] == [("MPI_Waitall", 1, 200, DOUBLE)] * 3
    assert sorted(tag for *_, tag, _ in done if tag >= 400) == list(range(400, 500))
    assert [call for call, item in items(first, "cancelled")] == ["MPI_Wait"]
    assert [call for call, item in items(first, "not_done")].count("MPI_Request_get_status") == 1
    modes = {call: item.flags & 3 for call, item in items(first, "isend") if item.tag >= 300}
    assert modes["MPI_Irsend"] == 3 and modes["MPI_Ibsend"] == 2
    assert [item.flags & 8 for call, item in items(first, "isend") if item.tag == 200] == [8, 8, 8]
    assert [tag for call, _, tag, _ in messages(second, "recv", "recv_done") if 300 < tag < 400] == [301, 302]


def collectives(file: RawFile) -> dict[str, list[tuple]]:
    """call -> (root, sent, received, in place) of its occurrences."""
    found: dict[str, list[tuple]] = {}
    for call, item in items(file, "collective"):
        found.setdefault(call, []).append((item.root, item.sent, item.received, item.mode & 1))
    return found


def expected_collectives(rank: int, n: int) -> dict[str, list[tuple]]:
    root = n - 1
    at_root, all_growing, own = rank == root, DOUBLE * n * (n + 1) // 2, DOUBLE * (rank + 1)
    none = -1

    def here(value: int) -> int:
        return value if at_root else 0

    return {
        "MPI_Barrier": [(none, 0, 0, 0)],
        "MPI_Bcast": [(root, here(24), 24 - here(24), 0)],
        "MPI_Gather": [(root, 16, here(16 * n), int(at_root))],
        "MPI_Gatherv": [(root, own, here(all_growing), 0)],
        "MPI_Scatter": [(root, here(16 * n), 16, int(at_root))],
        "MPI_Scatterv": [(root, here(all_growing), own, 0)],
        "MPI_Allgather": [(none, 16, 16 * n, 0)],
        "MPI_Allgatherv": [(none, own, all_growing, 0)],
        "MPI_Alltoall": [(none, 24 * n, 24 * n, 1)],
        "MPI_Alltoallv": [(none, 8 * n, 8 * n, 0)],
        "MPI_Alltoallw": [(none, 8 * n, 8 * n, 0)],
        "MPI_Allreduce": [(none, 40, 40, 1)],
        "MPI_Reduce": [(root, 40, here(40), 0)],
        "MPI_Reduce_scatter": [(none, all_growing, own, 0)],
        "MPI_Scan": [(none, 32, 32, 0)],
        "MPI_Exscan": [(none, 32, 32 if rank else 0, 0)],
        "MPI_Reduce_scatter_block": [(none, 16 * n, 16, 0)],
        "MPI_Ibarrier": [(none, 0, 0, 0)],
        "MPI_Iallreduce": [(none, 40, 40, 0)],
        "MPI_Ialltoallv": [(none, 8 * n, 8 * n, 0)],
        "MPI_Neighbor_allgather": [(none, 16, 32, 0)],
        "MPI_Neighbor_alltoall": [(none, 32, 32, 0)],
        "MPI_Neighbor_alltoallv": [(none, 16, 16, 0)],
    }


def test_collectives(mpi, tmp_path):
    n = 4 if mpi.flavour == "openmpi" else 2
    for rank, file in enumerate(mpi.trace("collectives", tmp_path / "raw", n)):
        found = collectives(file)
        expected = expected_collectives(rank, n)
        assert {call: found.get(call) for call in expected} == expected
        begun = [item.request for call, item in items(file, "collective") if item.request]
        assert sorted(begun) == sorted(item.request for _, item in items(file, "collective_done"))
        sent_to = {call: item.counts for call, item in items(file, "sent_to")}
        assert sent_to["MPI_Alltoallv"] == [8] * n and sent_to["MPI_Reduce_scatter"] == [
            8 * (i + 1) for i in range(n)
        ]
        received_from = {call: item.counts for call, item in items(file, "received_from")}
        assert received_from["MPI_Allgatherv"] == [8 * (i + 1) for i in range(n)]
        assert ("MPI_Gatherv" in received_from) == (rank == n - 1)
        if mpi.version >= 4:
            assert found["MPI_Start"] == [(0, 24 if rank == 0 else 0, 0 if rank == 0 else 24, 0)] * 2


def barriers(file: RawFile) -> list[dict]:
    """Definitions of the communicators of the barriers, in order."""
    used = [item.object for call, item in items(file, "collective") if call == "MPI_Barrier"]
    return [file.definitions.communicators[number] for number in used]


def test_communicators_have_numbers_that_all_ranks_agree_on(mpi, tmp_path):
    n = 4 if mpi.flavour == "openmpi" else 2
    files = mpi.trace("communicators", tmp_path / "raw", n)
    members: dict[int, dict[int, int]] = {}
    for rank, file in enumerate(files):
        for c in barriers(file):
            members.setdefault(c["global_id"], {})[c["own_rank"]] = rank
            if c["local"]:
                assert c["local"][c["own_rank"]] == rank
    groups = [[of[i] for i in sorted(of)] for of in members.values()]
    everyone, backwards = list(range(n)), [list(range(n - 1, -1, -1))[parity::2] for parity in (0, 1)]
    merged = [*range(n // 2, n), *range(n // 2)]
    expected = [everyone] * 6 + backwards + [everyone[1:]] + [[n - 1]] * 2 + [merged]
    assert sorted(groups) == sorted(expected)


def test_communicators_know_name_neighbours_and_remote_group(mpi, tmp_path):
    n = 4 if mpi.flavour == "openmpi" else 2
    for rank, file in enumerate(mpi.trace("communicators", tmp_path / "raw", n)):
        made = barriers(file)
        assert [c["name"] for c in made if "name" in c] == ["a copy"]
        ring = next(c for c in made if c["sources"] == 1)
        assert (ring["neighbours_in"], ring["neighbours_out"]) == ([(rank - 1) % n], [(rank + 1) % n])
        line = next(c for c in made if c["sources"] == 2)
        assert line["neighbours_in"] == [rank - 1 if rank else NO_PEER, rank + 1 if rank < n - 1 else NO_PEER]
        (across,) = [c for c in file.definitions.communicators.values() if c["kind"] == 3]
        assert (across["size"], across["remote_size"]) == (n // 2, n // 2)
        if across["own_rank"] == 0:
            assert across["remote"] == list(range(n // 2, n) if rank < n // 2 else range(n // 2))
        found = collectives(file)
        low = rank < n // 2
        assert found["MPI_Allreduce"] == [(-1, 8, 8, 0)]
        assert found["MPI_Bcast"] == [(-3, 8, 0, 0) if rank == 0 else (-1, 0, 0, 0) if low else (0, 0, 8, 0)]


def test_one_sided(mpi, tmp_path):
    first, second = mpi.trace("one_sided", tmp_path / "raw")
    assert [
        (call, item.target, item.operation, item.put, item.got) for call, item in items(first, "rma")
    ] == [
        ("MPI_Put", 1, 1, 16, 0),
        ("MPI_Get", 1, 2, 0, 24),
        ("MPI_Accumulate", 1, 3, 8, 0),
        ("MPI_Get_accumulate", 1, 4, 16, 16),
        ("MPI_Fetch_and_op", 1, 5, 8, 8),
        ("MPI_Compare_and_swap", 1, 6, 16, 8),
        ("MPI_Rput", 1, 1, 8, 0),
        ("MPI_Raccumulate", 1, 3, 8, 0),
        ("MPI_Rget", 1, 2, 0, 8),
        ("MPI_Rget_accumulate", 1, 4, 8, 8),
    ]
    begun = [item.request for _, item in items(first, "rma") if item.request]
    assert len(begun) == 4 and begun == [item.request for _, item in items(first, "rma_done")]
    syncs = [call.removeprefix("MPI_Win_") for call, _ in items(first, "rma_sync")]
    assert syncs == (
        "fence fence fence start complete start complete lock flush flush_local unlock lock_all flush_all "
        "flush_local_all sync unlock_all"
    ).split(" ")
    assert [item.counts for _, item in items(first, "group")] == [[1], [1]]
    assert [item.counts for _, item in items(second, "group")] == [[0], [0]]
    tests = [item.detail for call, item in items(second, "rma_sync") if call == "MPI_Win_test"]
    assert tests[-1] == 1 and set(tests[:-1]) <= {0}
    for file in (first, second):
        made = [item.object for _, item in items(file, "window_made")]
        windows = file.definitions.windows
        assert [(windows[i]["kind"], windows[i]["bytes"]) for i in made] == [
            (1, 64),
            (2, 64),
            (3, 32),
            (4, 0),
        ]
        assert made == [item.object for _, item in items(file, "window_freed")]
    ids = [[w["global_id"] for w in file.definitions.windows.values()] for file in (first, second)]
    assert ids[0] == ids[1] and len(set(ids[0])) == 4


def test_files(mpi, tmp_path):
    for rank, file in enumerate(mpi.trace("files", tmp_path / "raw", 2, str(tmp_path / "data"))):
        found = [
            (call, item.offset, item.bytes) for call, item in items(file, "file") if item.operation in (1, 2)
        ]
        place = 4 * rank
        assert found == [
            ("MPI_File_write_at", place, 16),
            ("MPI_File_write_at_all", place, 12),
            ("MPI_File_write", -1, 8),
            ("MPI_File_write_all", -1, 4),
            ("MPI_File_read_at", place, 8),
            ("MPI_File_read_at", 6, 8),
            ("MPI_File_read_at_all", place, 8),
            ("MPI_File_iread_at", place, 16),
            ("MPI_File_iwrite_at", place, 8),
            ("MPI_File_write_at_all_begin", place, 8),
            ("MPI_File_write_at_all_end", -1, 8),
            ("MPI_File_write_ordered", -1, 4),
            ("MPI_File_write_shared", -1, 4),
        ]
        assert [item.bytes for _, item in items(file, "file_done")] == [16, 8]
        (definition,) = file.definitions.files.values()
        assert definition["name"].endswith("/data") and definition["mode"] == 1 | 2 | 4
        counters = file.counters()
        assert counters["MPI_File_write_at_all_end"].bytes_sent == 8
        assert counters["MPI_File_write_at_all_begin"].bytes_sent == 0


def test_phases_and_switching_off(mpi, tmp_path):
    for file in mpi.trace("phases", tmp_path / "raw"):
        story = []
        for record in file.records():
            story += [record.call] if record.call != "MPI_Pcontrol" else []
            for item in record.items:
                if item.kind in ("phase_begin", "phase_end"):
                    story.append(
                        ("+" if item.kind == "phase_begin" else "-") + file.definitions.strings[item.request]
                    )
                elif item.kind.startswith("recording"):
                    story.append(item.kind)
        assert story == [
            "MPI_Init",
            *["+step", "+solve", "MPI_Barrier", "-solve", "-step"] * 3,
            *["+first name", "-first name", "+second name", "-second name"],
            *["recording_off", "recording_on", "MPI_Barrier", "MPI_Comm_free", "MPI_Finalize"],
        ]
        assert file.counters()["MPI_Barrier"].calls == 6
        assert len(file.definitions.communicators) == 3


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
        assert file.header["thread_level"] == 3 and file.header["threads"] == 5


def test_uncovered_calls_are_counted(mpi, tmp_path):
    for file in mpi.trace("uncovered", tmp_path / "raw"):
        uncovered = {name: c.calls for name, c in file.counters().items() if not c.covered}
        assert uncovered == {"MPI_Grequest_start": 1, "MPI_Grequest_complete": 1}


def test_what_came_with_mpi_4(mpi, tmp_path):
    if mpi.version < 4:
        pytest.skip("this library has MPI 3")
    first, second = mpi.trace("mpi4", tmp_path / "raw")
    assert messages(first, "send") == [("MPI_Send_c", 1, 9, 32)]
    assert messages(second, "recv") == [("MPI_Recv_c", 0, 9, 32)]
    assert collectives(first)["MPI_Alltoallv_c"] == [(-1, 16, 16, 0)]
    assert messages(first, "isend") == [("MPI_Isendrecv", 1, 60, 8), ("MPI_Start", 1, 61, 48)]
    assert messages(second, "isend") == [("MPI_Isendrecv", 0, 60, 16)]
    (exchanged,) = messages(first, "recv_done")
    untold = items(first, "recv_done")[0][1].flags & 8
    assert exchanged == ("MPI_Wait", *((ANY, 60, 64) if untold else (1, 60, 16)))
    assert bool(untold) == (mpi.flavour == "mpich")
    assert messages(second, "irecv")[1:] == [("MPI_Start", 0, 61, 48)]
    assert [call for call, _ in items(second, "send_done", "recv_done")] == ["MPI_Wait"] * 3


@pytest.mark.parametrize(
    ("how", "status"), [("kill", RUNNING), ("abort", ABORTED), ("exit", EXITED), ("crash", RUNNING)]
)
def test_a_broken_run_leaves_what_happened(mpi, tmp_path, how, status):
    done = mpi.launch([str(mpi.compile("endings.c")), how], tmp_path / "raw", 2)
    assert done.returncode != 0
    first, second = raw_files(tmp_path / "raw")
    assert second.header["status"] == status
    assert [tag for _, _, tag, _ in messages(second, "send")] == list(range(1000))
    assert [tag for _, _, tag, _ in messages(first, "recv")] == list(range(1000))
    assert first.header["status"] == RUNNING and first.open_call == "MPI_Recv"
    if how == "abort":
        assert second.header["status_code"] == 5


def test_a_file_that_cannot_grow_ends_the_recording_only(mpi, tmp_path):
    program = mpi.compile("many_calls.c")
    done = mpi.launch([str(program), "200000", str(4 << 20)], tmp_path / "raw", 1)
    assert done.returncode == 0, done.stderr
    assert "received 200000" in done.stdout and "cannot grow" in done.stderr
    (file,) = raw_files(tmp_path / "raw")
    kept = sum(1 for record in file.records() if record.call == "MPI_Sendrecv")
    assert 0 < kept < 200000
    assert kept + file.header["lost_records"] >= 200000 and file.header["lost_reason"]
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
        assert file.header["lost_records"] > 0 and sum(1 for _ in file.records()) > 0
        del file
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_memory_is_bounded_and_records_are_small(mpi, tmp_path):
    (file,) = mpi.trace("many_calls", tmp_path / "raw", 1, "300000")
    assert file.header["records"] >= 300000
    size = file.header["records_end"] - file.header["records_offset"]
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
    from hakaru.tracing.launch_line import inspect_program

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
    assert [f.header["status"] for f in (first, second)] == [FINALIZED] * 2
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
    (copy,) = [c for c in first.definitions.communicators.values() if c["kind"] == 2]
    assert [item.object for _, item in items(first, "send")] == [copy["id"]]


def test_the_table_must_fit_mpi_h(mpi, tmp_path):
    from hakaru.errors import UserError

    table = (sources() / "preload" / "calls.toml").read_text()
    (tmp_path / "calls.toml").write_text(
        table.replace(
            'parameters = "sendbuf, recvbuf, count, datatype, op, comm"', 'parameters = "sendbuf, comm"'
        )
    )
    with pytest.raises(UserError, match="parameters in mpi.h"):
        compile_library(mpi.compiler, tmp_path / "tracer", tmp_path / "calls.toml")
