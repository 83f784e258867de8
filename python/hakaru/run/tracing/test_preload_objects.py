"""Communicators, windows, files and phases against known answers."""

from hakaru.facts.traces.raw import RawFile
from hakaru.run.tracing.testing import NO_PEER, collectives, items


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
            members.setdefault(c.global_id, {})[c.own_rank] = rank
            if c.local:
                assert c.local[c.own_rank] == rank
    groups = [[of[i] for i in sorted(of)] for of in members.values()]
    everyone, backwards = list(range(n)), [list(range(n - 1, -1, -1))[parity::2] for parity in (0, 1)]
    merged = [*range(n // 2, n), *range(n // 2)]
    expected = [everyone] * 6 + backwards + [everyone[1:]] + [[n - 1]] * 2 + [merged]
    assert sorted(groups) == sorted(expected)


def test_communicators_know_name_neighbours_and_remote_group(mpi, tmp_path):
    n = 4 if mpi.flavour == "openmpi" else 2
    for rank, file in enumerate(mpi.trace("communicators", tmp_path / "raw", n)):
        made = barriers(file)
        assert [c.name for c in made if c.name] == ["a copy"]
        ring = next(c for c in made if len(c.neighbours_in) == 1)
        assert (ring.neighbours_in, ring.neighbours_out) == ([(rank - 1) % n], [(rank + 1) % n])
        line = next(c for c in made if len(c.neighbours_in) == 2)
        assert line.grid and not ring.grid
        assert line.neighbours_in == [rank - 1 if rank else NO_PEER, rank + 1 if rank < n - 1 else NO_PEER]
        (across,) = [c for c in file.definitions.communicators.values() if c.kind == 3]
        assert (across.size, across.remote_size) == (n // 2, n // 2)
        if across.own_rank == 0:
            assert across.remote == list(range(n // 2, n) if rank < n // 2 else range(n // 2))
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
        assert [(windows[i].kind, windows[i].bytes) for i in made] == [
            (1, 64),
            (2, 64),
            (3, 32),
            (4, 0),
        ]
        assert made == [item.object for _, item in items(file, "window_freed")]
    ids = [[w.global_id for w in file.definitions.windows.values()] for file in (first, second)]
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
        assert definition.name.endswith("/data") and definition.mode == 1 | 2 | 4
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


def test_marks_on_the_heap_are_told_without_asking_the_kernel(mpi, tmp_path):
    for file in mpi.trace("marks", tmp_path / "raw"):
        names = [file.definitions.strings[item.request] for _, item in items(file, "phase_begin")]
        assert names == ["step", *["turn", "step"] * 250]
