"""Collectives in two parts: each part as measured or as replayed, and when."""

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay.by_node import MOST_NODES, SIZES, with_parts
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.network import network_plan

ALONE = 2.0e-5  # s, of any sum on the sixteen ranks of a node of ...
AMONG = 3.0e-4  # ... and among 8 nodes; twice as long among 16


@pytest.fixture(scope="module")
def tool():
    return engine(None)


def machine(inside=True, among=True, kind="published", latency=2.0e-6) -> Machine:
    sums = [{"ranks": 16, "bytes": size, "value": ALONE, "unit": "s"} for size in (4, 1048576)]
    levels = {
        "core": {"latency": {"value": 1.0e-6, "unit": "s"}, "gap_per_byte": {"value": 1e-10, "unit": "s/B"}},
        "node": {"latency": {"value": latency, "unit": "s"}, "gap_per_byte": {"value": 1e-9, "unit": "s/B"}},
    }
    if inside:
        levels["core"]["allreduce"] = sums
    if among:
        levels["node"]["allreduce"] = [
            {"ranks": nodes, "bytes": 8, "value": AMONG * nodes / 8, "unit": "s"} for nodes in (8, 16)
        ]
    return Machine.of(
        {
            "schema": "hakaru/machine/1",
            "name": "m",
            "kind": kind,
            "date": "2026",
            "processor": {"cores": {"value": 16, "unit": "1"}},
            "network": levels,
        }
    )


def plan(tool, one, ranks=128, asked=None):
    asked = asked or {}
    return with_parts(network_plan(one, "hierarchy", ranks, 1, None, asked), one, ranks, asked, "mpich", tool)


def price(found, ranks, size=8, name="allreduce"):
    table = found.network.collectives[name].table
    return next(point.value_s for point in table if (point.ranks, point.bytes) == (ranks, size))


def lone_sum(tool, tmp_path, one, ranks, each, size, table=None):
    """Replayed by itself, as a program's schedule would be."""
    network = network_plan(one, "hierarchy", ranks, 1, each).network
    if table:
        network = msgspec.structs.replace(network, collectives=table)
    path = tmp_path / "one.json"
    streams = [{"ranks": [[0, ranks - 1, 1]], "operations": [{"do": "allreduce", "bytes": size}]}]
    head = {"schema": "hakaru/schedule/1", "program": "", "description": "", "ranks": ranks, "phases": []}
    rest = {"works": [], "lists": [], "communicators": [{"name": "world"}], "streams": streams}
    path.write_bytes(msgspec.json.encode(head | rest))
    return tool.replay(path, network, Options(decision="mpich")).makespan_s


def test_measured_parts_add_up(tool):
    found = plan(tool, machine())
    assert price(found, 16) == pytest.approx(ALONE)
    assert price(found, 128) == pytest.approx(ALONE + AMONG)
    facts = {fact.fact for fact in found.told.facts}
    assert {"network.node.allreduce", "network.core.allreduce"} <= facts
    damaged = machine().with_fact("network.node.allreduce", 2.0 * AMONG, ranks=8, bytes=8)
    assert price(plan(tool, damaged), 128) == pytest.approx(ALONE + 2.0 * AMONG)


def test_a_part_that_nobody_measured_is_replayed(tool, tmp_path):
    found = plan(tool, machine(among=False))
    for size in (8, 65536):
        steps = lone_sum(tool, tmp_path, machine(among=False), 8, 1, size)
        assert price(found, 128, size) == pytest.approx(ALONE + steps)
    found = plan(tool, machine(inside=False))
    steps = lone_sum(tool, tmp_path, machine(inside=False), 16, 16, 8)
    assert price(found, 128) == pytest.approx(AMONG + steps)
    few = lone_sum(tool, tmp_path, machine(inside=False), 4, 16, 8)
    assert price(found, 4) == pytest.approx(few) and few < steps


def test_few_nodes_of_one_rank_are_replayed_too(tool, tmp_path):
    """The table has no point of one rank, which takes no time and would draw those of two and three to itself."""
    one = machine(inside=False, among=False).with_fact("processor.cores", 1)
    found = plan(tool, one, 8, {"allreduce": "by_node"})
    table = found.network.collectives
    assert min(point.ranks for point in table["allreduce"].table) == 2
    for ranks in (2, 3):
        steps = lone_sum(tool, tmp_path, one, ranks, 1, 8)
        assert lone_sum(tool, tmp_path, one, ranks, 1, 8, table) == pytest.approx(steps, rel=0.35)
    assert "allreduce" not in plan(tool, one, 1, {"allreduce": "by_node"}).network.collectives


def test_programs_pay_that_price(tool, tmp_path):
    found = plan(tool, machine())
    whole = lone_sum(tool, tmp_path, machine(), 128, 16, 8, found.network.collectives)
    assert whole == pytest.approx(ALONE + AMONG)


def test_a_fact_that_was_set_changes_a_measured_part_as_it_changes_replays(tool, tmp_path):
    slower = machine(latency=4.0e-6)
    asked = Machine(slower.tree, before=machine())
    ratio = lone_sum(tool, tmp_path, slower, 8, 1, 8) / lone_sum(tool, tmp_path, machine(), 8, 1, 8)
    assert ratio > 1.5
    assert price(plan(tool, asked), 128) == pytest.approx(ALONE + ratio * AMONG)


@pytest.mark.parametrize("case", ["probed", "asked otherwise", "few ranks", "nothing measured"])
def test_messages_say_it_elsewhere(tool, case):
    one = machine(kind="measured") if case == "probed" else machine()
    if case == "nothing measured":
        one = machine(inside=False, among=False)
    asked = {"allreduce": "ring"} if case == "asked otherwise" else {}
    found = plan(tool, one, 8 if case == "few ranks" else 128, asked)
    priced = found.network.collectives.get("allreduce")
    assert priced is None or not priced.table


def test_whoever_asks_gets_it_on_a_probed_machine_too(tool):
    found = plan(tool, machine(kind="measured"), asked={"allreduce": "by_node"})
    assert price(found, 128) == pytest.approx(ALONE + AMONG)
    assert "replayed" in " ".join(plan(tool, machine(False, False), asked={"reduce": "by_node"}).told.texts)


def test_what_has_no_two_parts_is_refused(tool):
    with pytest.raises(UserError, match="alltoall is not done by node"):
        plan(tool, machine(), asked={"alltoall": "by_node"})


def test_tables_stay_small_on_a_million_ranks(tool):
    table = plan(tool, machine(), 2**20).network.collectives["allreduce"].table
    assert max(point.ranks for point in table) == 16 * MOST_NODES
    assert len(table) < 20 * len(SIZES), "ten or so of nodes, four of ranks of a node"


@pytest.mark.parametrize(
    ("name", "collective", "ranks"), [("archer2", "allreduce", 256), ("fugaku", "reduce", 96)]
)
def test_machines_of_today_know_theirs(tool, name, collective, ranks):
    one = Machine.load(known_machines()[name])
    assert price(plan(tool, one, ranks), ranks, name=collective) > 0.0
