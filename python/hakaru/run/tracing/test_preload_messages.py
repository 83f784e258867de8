"""Point to point, requests and collectives: peers, tags and bytes against known answers."""

from collections import Counter as Multiset

import pytest

from hakaru.facts.traces.raw import RawFile
from hakaru.run.tracing.build import compile_library, sources
from hakaru.run.tracing.testing import ANY, DOUBLE, INT, NO_PEER, collectives, items, messages

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


# Tag of datatypes.c -> bytes of a piece at the sender; those of other tags have no gaps.
PIECES = {3: 16, 5: 8, 6: 16, 7: 8, 8: 8, 9: 16, 10: 12, 11: 32, 12: 24, 15: 8, 16: 8, 17: 8, 18: 8}


def pieces(file: RawFile, *kinds: str) -> list[tuple[int, int | None]]:
    """(tag, bytes of a piece) of every message of these kinds in order; None: no gaps."""
    found: list[tuple[int, int | None]] = []
    for record in file.records():
        for place, item in enumerate(record.items):
            after = record.items[place + 1 : place + 2]
            told = after[0].request if after and after[0].kind == "pieces" else None
            found += [(item.tag, told)] if item.kind in kinds else []
    return found


def test_pieces_of_derived_datatypes(mpi, tmp_path):
    sender, receiver = mpi.trace("datatypes", tmp_path / "raw")
    one_round = [(tag, PIECES.get(tag)) for tag in range(1, 19)]
    second = [(tag + 18, piece) for tag, piece in one_round]  # whose handles may be those of freed types
    requests = [(100, 8), (101, 8), (101, 8), (102, 8)]
    assert pieces(sender, "send", "isend") == [*one_round, *second, *requests]
    received = [(tag, 16 if tag in (18, 36) else None) for tag in range(1, 37)]
    assert pieces(receiver, "recv", "recv_done") == [*received, *requests[:3], (102, None)]


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
            triangle = 8 * n * (n + 1) // 2
            assert found["MPI_Startall"] == [(-1, triangle, 8 * n * (rank + 1), 0), (-1, 40, 40, 0)]
            started = [
                item for call, item in items(file, "collective") if call in ("MPI_Start", "MPI_Startall")
            ]
            assert [file.call_names[item.mode >> 8] for item in started] == [
                "MPI_Bcast_init",
                "MPI_Bcast_init",
                "MPI_Alltoallv_init",
                "MPI_Allreduce_init",
            ]
            assert sent_to["MPI_Startall"] == [8 * (i + 1) for i in range(n)]
            assert received_from["MPI_Startall"] == [8 * (rank + 1)] * n


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
