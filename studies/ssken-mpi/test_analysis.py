"""Studies of collectives with times of closed form."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records.fixtures import probed, table
from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.fixtures import result_of
from hakaru.studies.result import Result, Row

FOLDER = Path(__file__).parent
collectives = part(FOLDER)
here = part(FOLDER, "here")


@pytest.fixture
def study():
    return load("ssken-mpi")


class Engine:
    """Latency times steps and bytes: the ring takes P - 1 short steps, the others few long ones."""

    def replay(self, path, network, options):
        name, ranks, size = path.stem.removesuffix(".schedule").split("-")
        way = network.collectives[name].algorithm
        steps = int(ranks) if way == "ring" else 10
        return result_of(steps * 1e-6 + (1e-9 if way == "ring" else 2e-9) * int(size))


def test_a_whole_study_of_closed_form(study, tmp_path):
    context = SimpleNamespace(engine=Engine(), results=tmp_path, say=lambda text: None)
    result = collectives.run(study, context)
    rows = {row.id: row for row in result.rows}
    assert rows["allreduce/8/64/ring"].ours == pytest.approx(64e-6 + 8e-9)
    assert rows["alltoall/1024/16/bruck"].kind == "unpublished"
    last = rows["crossover/allreduce/32768/recursive_doubling before ring/up to"]
    assert (last.published, last.ours) == (128, 768)
    first = rows["crossover/allreduce/32768/recursive_doubling before ring/from"]
    assert (first.published, first.ours) == (16, 64)
    assert rows["placement/alltoall/32768/4"].ours > 0.0
    assert len([one for one in result.sections if one.title.startswith("allreduce")]) == 4
    assert any("shared memory" in text for text in result.assumptions)


def test_who_is_ahead_and_where():
    assert collectives.ahead({16: (1, 2), 32: (2, 2), 64: (3, 2)}) == (16, 32)
    assert collectives.ahead({16: (3, 2)}) == (0, 0)


def test_the_schedule_is_one_operation_of_all():
    found = collectives.schedule_of("broadcast", 5, 64)
    assert found["streams"] == [
        {"ranks": [[0, 4, 1]], "operations": [{"do": "broadcast", "bytes": 64, "root": 0}]}
    ]
    assert "root" not in collectives.schedule_of("alltoall", 5, 64)["streams"][0]["operations"][0]


def times(factor: float) -> dict:
    """Of the library and of two algorithms; the loopback is ahead from 1024 B on."""
    return {
        ("alltoall", way, size): cost * (1e-6 + 1e-9 * size * factor)
        for way, cost in (("library", 2.0), ("bruck", 1.0), ("pairwise", 1.5))
        for size in (8, 1024, 65536)
    }


def test_the_threshold_is_the_last_length_at_which_shared_memory_is_not_slower(study):
    loopback = {key: value + 5e-8 * (1 if key[2] < 1024 else -1) for key, value in times(1.0).items()}
    (row,) = here.threshold_rows(study, {"shared memory": times(1.0), "loopback": loopback})
    assert (row.id, row.published, row.ours, row.kind) == ("threshold/alltoall", 20000, 8, "measured")
    assert here.threshold_rows(study, {"loopback": loopback}) == []
    assert "up to 8 B" in here.threshold_words(Result([row]))[0]
    assert here.threshold_bytes({8: 2.0}, {8: 1.0}) == 0


def test_the_librarys_losses_are_shown(study):
    section = here.losses_section("loopback", times(1.0))
    assert all(line[2] == "bruck" and line[4] == "2.00" for line in section.lines) and len(section.lines) == 3
    shown = here.places_section(study.settings.here, {"loopback": times(1.0)}, ["between nodes: no root"])
    assert len(shown.lines) == 3 and "no root" in shown.words[1]


def test_records_become_medians():
    rows = [
        ["alltoall", "bruck", ranks, 8, i, seconds] for ranks in (2, 4) for i, seconds in enumerate((3, 1, 2))
    ]
    record = probed("r1", table("collectives", "collective algorithm ranks bytes repetition seconds", rows))
    assert here.times_of(record) == {("alltoall", "bruck", 8): 2}


def test_one_core_is_refused(study, monkeypatch):
    monkeypatch.setattr(here, "usable_cores", lambda: 1)
    with pytest.raises(UserError, match="needs 2 cores and Open MPI"):
        collectives.here(study, None)


def test_rows_hold_what_was_published():
    assert Row("threshold/alltoall", 20000.0, 8.0, "B", "measured").error == pytest.approx(-0.9996)
