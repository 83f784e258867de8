"""Ways of writing, for files whose use is made up and facts whose times are known in closed form."""

import json

import jsonschema
import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts.machines import Machine
from hakaru.facts.traces.file_use import SCHEMA, FileProcess, FileUse, Use, UsedFile
from hakaru.foretell.advise import io, ways
from hakaru.foretell.advise.written import COLLECTIVE, MASTER, OWN, SHARED, written

RANKS, MB = 4, 1_000_000
# seconds to open, seconds of a call, B/s of all ranks
COSTS = {
    ("own", "parts"): (4e-3, 1e-6, 4e9),
    ("shared", "parts"): (1e-3, 2e-6, 2e9),
    ("shared", "interleaved"): (1e-3, 4e-6, 1e9),
    ("collective", "parts"): (1e-3, 50e-6, 2e9),
    ("collective", "interleaved"): (1e-3, 50e-6, 2e9),
    ("master", "parts"): (0.5e-3, 20e-6, 0.5e9),
}


def machine(ranks: int = RANKS, spread: float = 0.01, **more) -> Machine:
    tree: dict = {"open": [], "call": [], "bandwidth": []}
    for (way, pattern), numbers in COSTS.items():
        for (name, facts), value in zip(tree.items(), numbers, strict=True):
            unit = "B/s" if name == "bandwidth" else "s"
            ends = {"low": value * (1 - spread), "high": value * (1 + spread)}
            about = {"way": way, "pattern": pattern, "ranks": ranks, **more}
            facts.append({**about, "value": value, "unit": unit, **ends, "source": "probe r1"})
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    return Machine.of({**head, "storage": {"ways": tree}})


def process(rank: int) -> FileProcess:
    return FileProcess(
        rank=rank, world="0", host="h", process_id=rank + 1, program="/bin/solver", complete=True
    )


def use(rank: int, operation: str, calls: int, moved: int = 0, layer: str = "posix") -> Use:
    return Use(
        process=rank,
        phase="",
        layer=layer,
        operation=operation,
        calls=calls,
        failed=0,
        bytes=moved,
        seconds=0.1,
    )


def file(path: str, ranks, calls: int, moved: int, opened: int = 1, layer: str = "posix") -> UsedFile:
    """``calls`` and ``moved``: of each rank."""
    uses = [
        one
        for rank in ranks
        for one in (use(rank, "open", opened, 0, layer), use(rank, "write", calls, moved, layer))
    ]
    return UsedFile(
        path=path,
        type="regular",
        calls=len(uses),
        bytes_read=0,
        bytes_written=moved * len(ranks),
        seconds=0.1,
        processes=len(ranks),
        uses=tuple(uses),
    )


def of(*files: UsedFile) -> FileUse:
    return FileUse(schema=SCHEMA, processes=tuple(map(process, range(RANKS))), files=files, warnings=())


def only(*files: UsedFile, collective: bool = False):
    (found,) = written(of(*files), RANKS, collective)
    return found


def test_a_file_for_each_rank_is_one_family():
    found = only(*(file(f"/w/out.{rank}", [rank], 10, MB, opened=3) for rank in range(RANKS)))
    assert (found.way, found.name, found.files, found.writers) == (OWN, "/w/out.#", RANKS, RANKS)
    assert (found.rounds, found.calls, found.bytes) == (3, 10, RANKS * MB)


def test_only_numbers_that_differ_have_no_name():
    files = [
        file(f"/run7/step{step}/out.{rank}.dat", [rank], 1, MB) for step in range(2) for rank in range(RANKS)
    ]
    assert only(*files).name == "/run7/step#/out.#.dat"


def test_files_of_steps_are_rounds():
    steps = [file(f"/w/{step}/out.{rank}", [rank], 10, MB) for step in range(5) for rank in range(RANKS)]
    assert (only(*steps).way, only(*steps).rounds, only(*steps).calls) == (OWN, 5, 50)
    gathered = only(*(file(f"/w/step{step}", [0], 10, MB) for step in range(5)))
    assert (gathered.way, gathered.rounds, gathered.writers) == (MASTER, 5, 1)


def test_one_file_of_all_ranks():
    shared = file("/w/all", range(RANKS), 10, MB)
    assert only(shared).way == SHARED and only(shared, collective=True).way == SHARED, "no MPI-IO"
    by_mpi = file("/w/all", range(RANKS), 10, MB, layer="mpi")
    assert only(by_mpi, collective=True).way == COLLECTIVE and only(by_mpi).way == SHARED


def test_streams_gather_small_calls():
    found = only(file("/w/log", [0], 100_000, 800_000, layer="stdio"))
    assert found.calls == -(-800_000 // 4096)


def test_what_was_only_read_or_is_no_file_is_left_out():
    read = file("/w/in", [0], 0, 0)
    assert written(of(read), RANKS, False) == []


def test_times_are_those_of_the_facts():
    files = only(*(file(f"/w/out.{rank}", [rank], 1000, MB, opened=2) for rank in range(RANKS)))
    found = {(one.way, one.pattern, one.calls): one for one in ways.rank(files, ways.costs(machine(), RANKS))}
    for (way, pattern), (opened, call, bandwidth) in COSTS.items():
        for calls in (500, 1):  # as today in each of two rounds, and all bytes of a round in one
            expected = 2 * (opened + calls * call + RANKS * MB / 2 / bandwidth)
            assert found[way, pattern, calls].time_s == pytest.approx(expected), (way, calls)
    assert [key for key, one in found.items() if one.today] == [("own", "parts", 500)]


def test_small_calls_of_a_collective_are_found_slow_and_large_ones_better():
    files = only(file("/w/all", range(RANKS), 10_000, 40 * MB, layer="mpi"), collective=True)
    found = ways.rank(files, ways.costs(machine(), RANKS))
    today = next(one for one in found if one.today)
    larger = next(one for one in found if one.way == COLLECTIVE and one.calls == 38)
    assert larger.time_s < 0.5 * today.time_s and not today.close
    assert (found[0].way, found[0].calls) == (OWN, 38)


def test_facts_of_other_ranks_are_said():
    files = only(file("/w/all", range(RANKS), 10, MB))
    near = ways.costs(machine(ranks=2), RANKS)
    assert near.ranks == 2 and any("nearest" in text for text in ways.assumed(files, near))
    assert not any("nearest" in text for text in ways.assumed(files, ways.costs(machine(), RANKS)))
    synced = ways.costs(machine(synced="yes"), RANKS)
    assert any("on the disk" in text for text in ways.assumed(files, synced))


def test_wide_facts_do_not_choose():
    files = only(file("/w/all", range(RANKS), 10, MB))
    sure = ways.rank(files, ways.costs(machine(), RANKS))
    unsure = ways.rank(files, ways.costs(machine(spread=0.9), RANKS))
    assert sum(one.close for one in unsure) > sum(one.close for one in sure)


@pytest.fixture
def trace(tmp_path):
    folder = tmp_path / "trace"
    folder.mkdir()
    files = of(
        file("/w/all", [0], 10, 40 * MB), *(file(f"/w/o.{rank}", [rank], 9, MB) for rank in range(RANKS))
    )
    (folder / "files.json").write_text(json.dumps(files.as_dict()))
    machine().save(tmp_path / "m.toml")
    return folder


def test_the_command_ranks_each_family(trace, tmp_path, capsys):
    found = io.advise([str(trace)], str(tmp_path / "m.toml"), None)
    assert [one.files.way for one in found.found] == [MASTER, OWN]
    law = json.loads((root() / "schema" / "io-advice.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(found.as_dict())), law)
    io.show(found)
    shown = capsys.readouterr().out
    assert "one, rank 0 gathers (today)" in shown and "would take" in shown and "assumed:" in shown


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "no trace is named"),
        (["nowhere"], "there is no trace nowhere"),
        (["{empty}"], "does not say which files"),
    ],
)
def test_what_cannot_be_ranked(trace, tmp_path, words, problem):
    (tmp_path / "empty" / "raw").mkdir(parents=True)
    with pytest.raises(UserError, match=problem):
        io.advise([word.format(empty=tmp_path / "empty") for word in words], str(tmp_path / "m.toml"), None)


def test_a_machine_without_these_facts_says_how_to_measure_them(trace, tmp_path):
    Machine.of({"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}).save(
        tmp_path / "m.toml"
    )
    with pytest.raises(UserError, match="hakaru probe storage"):
        io.advise([str(trace)], str(tmp_path / "m.toml"), None)
