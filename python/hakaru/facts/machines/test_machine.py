"""A machine and its facts: reading, asking, changing; what a change does not touch stays."""

import copy
import json
import math

import msgspec
import pytest

from hakaru.base.paths import root
from hakaru.facts.machines import Machine, files, known_machines
from hakaru.facts.machines.fact import FIELDS, Fact, fact
from hakaru.facts.machines.tree import mapped


def entry(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "probe r"}


TREE = {
    "schema": "hakaru/machine/1",
    "name": "m",
    "kind": "measured",
    "date": "2026-01-01",
    "processor": {"cores": entry(2, "1")},
    "memory": {
        "bandwidth": [
            entry(1e10, "B/s", cores=1, kernel="triad"),
            entry(1.5e10, "B/s", cores=2, kernel="triad"),
        ],
        "levels": [{"name": "L1", "latency": entry(1e-9), "capacity": entry(3e4, "B")}],
    },
    "network": {
        "node": {"latency": entry(2e-6), "gap": [entry(1e-7, minimum_bytes=0, residual=0.1, note="line")]}
    },
}


@pytest.fixture
def machine():
    return Machine.of(copy.deepcopy(TREE))


def test_a_fact_is_asked_by_path_and_keys(machine):
    assert machine.find("memory.bandwidth", cores=2).value == 1.5e10
    assert machine.find("memory.bandwidth", cores=3) is None and machine.find("nothing.here") is None
    assert machine.find("memory.levels[L1].latency").value == 1e-9
    assert [one.keys["cores"] for one in machine.facts("memory.bandwidth", kernel="triad")] == [1, 2]
    assert machine.values("network", "node", "latency") == () and machine.value("memory", "bandwidth") is None
    assert (machine.cores, machine.name, machine.number("network.node.latency")) == (2, "m", 2e-6)
    assert machine.has("network.node") and not machine.has("network.core")
    assert machine.parts("network.node") == ("latency", "gap") and machine.parts("network.node.latency") == ()
    assert sum(1 for _ in machine.walk()) == 7


def test_bandwidth_by_working_set():
    curve = [
        entry(rate, "B/s", cores=cores, bytes=size)
        for cores, rates in ((1, (8e10, 2e10)), (2, (16e10, 2.5e10)))
        for size, rate in zip((2.0**20, 2.0**24), rates, strict=True)
    ]
    machine = Machine.of({"memory": {"working_sets": curve}})
    assert machine.bandwidth_of(1.0, 1) == pytest.approx(8e10)
    assert machine.bandwidth_of(2.0**22, 1) == pytest.approx(4e10)  # half of the way in logarithms
    assert machine.bandwidth_of(2.0**30, 2) == pytest.approx(2.5e10)
    assert machine.bandwidth_of(2.0**30, 4) == pytest.approx(5e10)
    assert Machine.of({}).bandwidth_of(1.0, 1) is None


def test_a_vector_that_leaves_a_cache_is_no_slope():
    """Between sizes of matrices and lengths of rows the rate is that of matrices with such a vector: 12 GB/s while it fits 1 MB, else 20."""

    def rate(row, size):
        return 12e9 if 8.0 * size / (12.0 * row + 16.0) < 1e6 else 20e9

    curve = [
        entry(rate(row, size), "B/s", cores=1, row=row, bytes=size)
        for row in (32, 64, 128, 256, 512)
        for size in (2.0**power * 1e6 for power in range(5, 9))
    ]
    machine = Machine.of({"memory": {"indexed_sets": curve}})
    for vector in (0.3e6, 0.5e6, 0.6e6):
        assert machine.indexed_bandwidth(161e6, vector, 1) == pytest.approx(12e9)
    assert machine.indexed_bandwidth(161e6, 2.2e6, 1) == pytest.approx(20e9)


def test_bandwidth_of_sparse_matrices_by_working_set_and_vector():
    curve = [
        entry(rate, "B/s", cores=1, row=row, bytes=size)
        for row, rates in ((32, (8e10, 1e10)), (128, (8e10, 2e10)))
        for size, rate in zip((2.0**20, 2.0**24), rates, strict=True)
    ]
    machine = Machine.of({"memory": {"indexed_sets": curve}})

    def vector(row, size=2.0**24):
        return 8.0 * size / (12.0 * row + 16.0)

    assert machine.indexed_bandwidth(2.0**24, vector(128), 1) == pytest.approx(2e10)
    assert machine.indexed_bandwidth(2.0**24, vector(32), 1) == pytest.approx(1e10)
    assert machine.indexed_bandwidth(2.0**24, vector(64), 1) == pytest.approx(math.sqrt(2.0) * 1e10)
    assert machine.indexed_bandwidth(2.0**24, vector(8), 1) == pytest.approx(1e10)
    assert machine.indexed_bandwidth(2.0**24, 0.0, 1) == pytest.approx(2e10)  # a program that does not say
    assert machine.indexed_bandwidth(2.0**28, vector(32), 1) == pytest.approx(
        1e10
    )  # the vector is what counts
    assert machine.indexed_bandwidth(2.0**22, vector(128, 2.0**22), 2) == pytest.approx(8e10)
    before = [{key: value for key, value in one.items() if key != "row"} for one in curve[2:]]
    assert Machine.of({"memory": {"indexed_sets": before}}).indexed_bandwidth(
        2.0**24, 1.0, 1
    ) == pytest.approx(2e10)
    assert Machine.of({}).indexed_bandwidth(1.0, 1.0, 1) is None


def test_what_a_fact_is_about_are_its_keys_alone(machine):
    (gap,) = machine.facts("network.node.gap")
    assert gap.keys == {"minimum_bytes": 0} and (gap.residual, gap.note) == (0.1, "line")


@pytest.mark.parametrize("path", known_machines().values(), ids=lambda path: path.stem)
def test_facts_are_read_and_written_without_loss(path):
    whole = Machine.load(path)
    assert mapped(whole.tree, lambda table: Fact.of(table).as_dict()) == whole.tree
    assert whole.mapped(lambda one: one) == whole


def test_a_fact_that_would_be_lost_is_seen():
    table = entry(1.0, cores=1)
    assert Fact.of(table | {"best": 2.0}).as_dict() != table


def test_changes_make_other_machines_and_leave_this_one(machine):
    slower = machine.mapped(lambda one: one.times(2.0) if one.is_cost else one)
    assert slower.find("memory.levels[L1].latency").value == 2e-9
    assert slower.find("memory.bandwidth").value == 1e10
    assert slower.find("network.node.latency").source == "probe r, times 2"
    other = machine.with_fact("memory.bandwidth", 9.0, cores=2)
    assert [one.value for one in other.facts("memory.bandwidth")] == [1e10, 9.0]
    new = machine.with_facts("network.switch.latency", Fact(value=1.0, unit="s", source="here"))
    assert new.number("network.switch.latency") == 1.0 and new.has("network.node")
    gone = machine.with_facts("network.node.latency", None)
    assert gone.find("network.node.latency") is None and gone.has("network.node.gap")
    assert machine.tree == TREE
    with pytest.raises(KeyError):
        machine.with_fact("network.node.bandwidth", 1.0)


def test_a_machine_that_is_set_remembers_what_was_measured(machine):
    once = machine.about_to_be_set("network.node.latency").with_fact("network.node.latency", 1.0)
    twice = once.about_to_be_set("network.node.gap").with_fact("network.node.latency", 3.0)
    assert twice.as_measured == machine and twice.number("network.node.latency") == 3.0
    assert machine.about_to_be_set("processor.cores").before is None


def test_a_machine_is_written_as_it_was_read(machine, tmp_path):
    machine.save(tmp_path / "m.toml")
    assert Machine.load(tmp_path / "m.toml") == machine


def test_a_probes_fact_keeps_its_keys_before_its_value():
    made = fact([1.0], "B/s", "r", cores=2, best=3.0)
    assert list(made) == ["cores", "best", "value", "unit", "low", "high", "samples", "source"]


def test_the_type_and_the_schema_of_a_fact_say_the_same():
    schema = json.loads((root() / "schema" / "machine.schema.json").read_text())["$defs"]["fact"]
    assert set(schema["properties"]) == set(FIELDS)
    assert {one.name for one in msgspec.structs.fields(Fact) if one.required} <= set(schema["required"])
    assert files.problems(TREE) == []


def test_bandwidth_of_a_socket_is_not_that_of_a_node_by_another_kernel():
    bandwidth = [
        {"kernel": "triad", "cores": 144, "value": 8.0e11, "unit": "B/s", "source": "s"},
        {"kernel": "add", "cores": 144, "value": 7.9e11, "unit": "B/s", "source": "s"},
        {"kernel": "triad", "cores": 72, "value": 4.3e11, "unit": "B/s", "source": "s"},
    ]
    machine = Machine.of({"memory": {"bandwidth": bandwidth}})
    found = {cores: machine.bandwidth(cores, write_allocate=False).value for cores in (1, 72, 73, 144, 200)}
    assert found == {1: 4.3e11, 72: 4.3e11, 73: 8.0e11, 144: 8.0e11, 200: 8.0e11}
