"""Which records of a results folder answer a question."""

import pytest

from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import changed
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.forecast.fixtures import campaign


@pytest.fixture
def folder(tmp_path):
    """Runs of two ranks on one node and on two, and of four ranks on one."""
    store = RecordStore(tmp_path)
    for nodes in (1, 2):
        for one in campaign((32, 48), 2):
            store.write(changed(one, context={"launch": {"launcher": "srun", "ranks": 2, "nodes": nodes}}))
    for one in campaign((32, 48), 2, ranks=4):
        store.write(one)
    return tmp_path


def nodes_of(folder, ranks: int, nodes: int | None) -> list[tuple[int, int]]:
    records = Question(folder, "solver", {"n": 64}, ranks=ranks, nodes=nodes).records
    return sorted({(one.ranks, one.nodes) for one in records})


def test_runs_on_other_nodes_say_nothing_of_the_same_layout(folder):
    assert nodes_of(folder, 2, 1) == [(2, 1), (4, 1)]
    assert nodes_of(folder, 2, 2) == [(2, 2), (4, 1)]


def test_without_runs_on_these_nodes_or_a_number_of_them_all_count(folder):
    assert nodes_of(folder, 2, 3) == nodes_of(folder, 2, None) == [(2, 1), (2, 2), (4, 1)]


def test_the_place_of_a_record_is_its_site(folder):
    one = campaign((32,), 1)[0]
    assert one.place == one.environment.host
    assert changed(one, context={"place": "cluster"}).setting.host == "cluster"
