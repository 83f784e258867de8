"""Facts that cannot all be true are found and refused; true ones of any machine are not."""

import copy
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakaru.facts.machines import Machine, known_machines, validate
from hakaru.facts.machines.consistency import contradictions as contradictions_of
from hakaru.facts.machines.consistency import refuse

SIZES = [0, *(2**power for power in range(23))]


def value(number, unit="s", **keys):
    return {**keys, "value": number, "unit": unit, "source": "probe r"}


MIB = 1048576.0


def network(latency_s, gap_s, gap_per_byte, stages=2.0):
    """Facts of one level as an undisturbed probe finds them: a train pipelines the stages that one message passes."""
    pingpong = [
        value(latency_s + gap_s + stages * gap_per_byte * max(size - 1, 0), bytes=size) for size in SIZES
    ]
    exchange = [value(1.2 * entry["value"], bytes=entry["bytes"]) for entry in pingpong]
    whole = {"minimum_bytes": 0, "maximum_bytes": SIZES[-1]}
    return {
        "latency": value(latency_s + gap_s),
        "latency_without_overheads": value(latency_s),
        "gap": [value(gap_s, residual=0.08, **whole)],
        "gap_per_byte": [value(gap_per_byte, "s/B", residual=0.08, **whole)],
        "pingpong": pingpong,
        "exchange": exchange,
        "window": [value(gap_s + gap_per_byte * max(size - 1, 0), bytes=size) for size in SIZES],
        "put": [value(entry["value"], bytes=entry["bytes"]) for entry in pingpong if entry["bytes"] > 4],
        "alltoall": [value(entry["value"], bytes=entry["bytes"], ranks=2) for entry in pingpong],
    }


def machine(level="node", **parts):
    levels = [
        {
            "name": name,
            "latency": value(latency),
            "capacity": value(capacity, "B"),
            "bandwidth": [value(1e11, "B/s", cores=1)],
        }
        for name, latency, capacity in (("L1", 1e-9, 3e4), ("L2", 4e-9, 1e6), ("memory", 9e-8, 1e10))
    ]
    return {
        "schema": "hakaru/machine/1",
        "name": "m",
        "kind": "measured",
        "date": "2026-01-01",
        "network": {level: network(1e-6, 2e-7, 1e-10) | parts},
        "memory": {
            "levels": levels,
            "bandwidth": [value(2e10 * n, "B/s", cores=n) for n in (1, 2)],
            "indexed_sets": [
                value(rate * n, "B/s", cores=n, row=128, bytes=size)
                for size, rate in ((4 * MIB, 3e10), (128 * MIB, 8e9))
                for n in (1, 2)
            ],
        },
        "compute": {
            "fma_peak": [value(4e10 * n, "flop/s", cores=n) for n in (1, 2)],
            "dgemm": [value(3.6e10 * n, "flop/s", cores=n, order=512) for n in (1, 2)],
        },
        "noise": {"share": value(2.5, "1"), "detour_share": value(0.01, "1")},
    }


def contradictions(tree):
    return contradictions_of(Machine.of(tree))


def refused(tree):
    """The tree without what cannot be true."""
    return refuse(Machine.of(tree), contradictions(tree)).tree


def paths(tree):
    return {path for one in contradictions(tree) for path in one.paths}


def test_a_sound_machine_is_not_contradicted():
    assert contradictions(machine()) == []


def test_latency_beside_the_pingpong_that_an_outsider_saw():
    found = contradictions(
        machine(latency=value(4.0e-3), pingpong=[value(2.05e-3, bytes=0), value(2.06e-3, bytes=1)])
    )
    assert [one.probes for one in found] == [("messages",)] * len(found)
    assert "network.node.latency" in found[0].paths and "4e+03 us" in found[0].why


def test_gap_per_byte_of_another_link_that_an_outsider_saw():
    """2.5 ns/B where the link takes 160."""
    slow = network(1e-3, 1e-5, 160e-9, stages=1.0)
    slow["gap_per_byte"][0]["value"] = 2.5e-9
    assert "network.node.gap_per_byte" in paths(machine(**slow))


def test_residual_that_an_outsider_saw():
    parts = network(1e-6, 2e-7, 1e-10)
    parts["gap_per_byte"][0]["residual"] = 38.31
    found = contradictions(machine(**parts))
    assert found[0].paths == ("network.node.gap", "network.node.gap_per_byte") and "3831 %" in found[0].why


@pytest.mark.parametrize("name", ["pingpong", "exchange", "put", "alltoall"])
def test_one_disturbed_size_is_found_by_its_order(name):
    tree = machine()
    tree["network"]["node"][name][8]["value"] *= 50.0
    assert f"network.node.{name}" in paths(tree)


def test_a_window_faster_than_its_messages_can_be():
    tree = machine(**network(1e-6, 1e-7, 1e-9, stages=1.0))
    for entry in tree["network"]["node"]["window"]:
        entry["value"] /= 20.0
    assert "network.node.window" in paths(tree)


def test_the_handshake_of_a_rendezvous_is_no_contradiction():
    """Open MPI between hosts 3.9 ms and 1600 Mbit/s apart: 64 KiB take three latencies by themselves, and none more of a window."""
    tree = machine(**network(3.9e-3, 1e-6, 5e-9))
    limit, node = SIZES[len(SIZES) // 2], tree["network"]["node"]
    for entry in node["pingpong"]:
        entry["value"] += 2 * 3.9e-3 if entry["bytes"] > limit else 0.0
    node["eager_limit"] = value(limit, unit="B")
    assert not {"network.node.window", "network.node.gap"} & paths(tree)
    node["eager_limit"] = value(SIZES[-1], unit="B")
    assert "network.node.window" in paths(tree)


def test_levels_of_memory_out_of_order():
    tree = machine()
    tree["memory"]["levels"][1]["latency"]["value"] = 0.9e-9
    assert paths(tree) == {"memory.levels[L1].latency", "memory.levels[L2].latency"}
    left = refused(tree)
    assert "latency" not in left["memory"]["levels"][0] and "capacity" in left["memory"]["levels"][0]
    assert contradictions(left) == []
    validate(left)


def with_a_step(latency):
    """A guest that got 19 of 480 MiB of a cache: the step was seen, the reported end of L3 was not."""
    tree = machine()
    third = {"name": "L3", "latency": value(7e-8), "capacity_reported": value(480 * MIB, "B")}
    step = {"name": "step at 19 MiB", "latency": value(latency), "capacity": value(19 * MIB, "B")}
    tree["memory"]["levels"] += [third, step]
    return tree


def test_a_step_without_a_cache_stands_where_its_capacity_puts_it():
    assert contradictions(with_a_step(2e-8)) == []
    assert paths(with_a_step(2e-9)) == {
        "memory.levels[L2].latency",
        "memory.levels[step at 19 MiB].latency",
    }
    assert "memory.levels[L3].latency" in paths(with_a_step(8e-8))


@pytest.mark.parametrize(
    ("path", "index", "factor"),
    [
        (("memory", "bandwidth"), 1, 3.0),
        (("memory", "bandwidth"), 1, 0.2),
        (("memory", "indexed_sets"), 1, 0.3),
        (("memory", "indexed_sets"), 2, 0.3),
        (("compute", "fma_peak"), 0, 0.3),
        (("compute", "dgemm"), 0, 2.0),
    ],
)
def test_rates_that_cores_cannot_have(path, index, factor):
    tree = machine()
    tree[path[0]][path[1]][index]["value"] *= factor
    assert ".".join(path) in paths(tree)


def test_shares_beyond_all():
    tree = machine()
    tree["noise"]["detour_share"]["value"] = 1.2
    assert paths(tree) == {"noise.detour_share"}


def test_refused_facts_are_gone_and_the_rest_stays():
    tree = machine(latency=value(4.0e-3))
    before = copy.deepcopy(tree)
    left = refused(tree)
    node = left["network"]["node"]
    assert "latency" not in node and "pingpong" not in node and "gap" in node
    assert left["memory"] == before["memory"] and contradictions(left) == []
    assert tree == before


NETWORKS = {
    "latency_s": st.floats(1e-7, 5e-3),
    "gap_s": st.floats(1e-8, 1e-5),
    "gap_per_byte": st.floats(1e-11, 2e-7),
    "stages": st.floats(1.0, 4.0),
}


@settings(max_examples=60, deadline=None)
@given(st.fixed_dictionaries(NETWORKS), st.integers(0, 2**32))
def test_scatter_of_an_undisturbed_probe_is_no_contradiction(shape, seed):
    tree = machine(**network(**shape))
    scatter = random.Random(seed)
    for facts in tree["network"]["node"].values():
        for entry in facts if isinstance(facts, list) else [facts]:
            entry["value"] *= scatter.uniform(0.85, 1.15)
    assert contradictions(tree) == []


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(NETWORKS),
    st.sampled_from(["latency", "pingpong", "exchange"]),
    st.floats(12.0, 1e4),
    st.booleans(),
)
def test_any_disturbance_by_a_factor_is_found(shape, name, factor, whole):
    """One fact, or one quantity at all sizes, measured while the machine was so many times as slow."""
    shape["latency_s"] = max(shape["latency_s"], 1e-6)
    tree = machine(**network(**shape))
    node = tree["network"]["node"]
    entries = node[name] if isinstance(node[name], list) else [node[name]]
    for entry in entries if whole else entries[:1]:
        entry["value"] *= factor
    assert any(name in path for path in paths(tree))
    assert name not in refused(tree)["network"]["node"]


def test_published_machines_do_not_contradict_themselves():
    for path in known_machines().values():
        assert contradictions_of(Machine.load(path)) == [], path.name
