"""What messages share: links of nodes, memory, ports of a tree, lengths of a torus."""

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay import settable
from hakaru.foretell.replay.network import network_plan
from hakaru.foretell.replay.topology import near_cube


def plan(name, model, ranks, *settings, **more):
    machine, _ = settable.with_settings(Machine.load(known_machines()[name]), list(settings))
    return network_plan(machine, model, ranks, 1, **more)


def test_ranks_of_a_node_share_its_link_and_its_memory():
    found = plan("ethernet-10g", "hierarchy", 64).network.as_dict()
    assert found["placement"] == {"cores_per_socket": 8, "sockets_per_node": 2, "ranks_per_node": 16}
    assert found["node"]["nic"] == {"rate_bytes_per_s": 1.25e9}
    assert found["node"]["memory"]["rate_bytes_per_s"] == pytest.approx(66.16e9 / 2)
    assert "node" not in plan("ethernet-10g", "hierarchy", 64, sharing=False).network.as_dict()


def test_nothing_is_shared_by_one_rank_a_node_and_no_link_is_needed_on_one_node():
    assert "node" not in plan("ethernet-10g", "hierarchy", 4, ranks_per_node=1).network.as_dict()
    assert "nic" not in plan("ethernet-10g", "hierarchy", 16).network.as_dict()["node"]


def test_without_a_link_rate_one_stream_fills_it():
    machine = Machine.load(known_machines()["fx1"]).with_facts("network.topology.link_bandwidth", None)
    found = network_plan(machine, "hierarchy", 64, 1)
    assert found.network.as_dict()["node"]["nic"]["rate_bytes_per_s"] == pytest.approx(2e9)
    assert any("what one stream" in text for text in found.told.assumed)


@pytest.mark.parametrize(
    ("nodes", "down", "up"),
    [(30, [36], []), (37, [18, 36], [18]), (648, [18, 36], [18]), (649, [18, 18, 36], [18, 18])],
)
def test_a_tree_has_as_few_levels_as_hold_the_nodes(nodes, down, up):
    topology = plan("fat-tree-100g", "fat_tree", 44 * nodes).network.as_dict()["topology"]
    assert (topology["down"], topology["up"]) == (down, up)
    assert topology["ranks_per_node"] == 44 and topology["link"] == {"rate_bytes_per_s": 12.5e9}


def test_a_missing_radix_is_named():
    with pytest.raises(
        UserError, match="'fx1' does not say network.topology.radix.*--set network.topology.radix=36"
    ):
        plan("fx1", "fat_tree", 64)
    assert plan("fx1", "fat_tree", 64, "network.topology.radix=24").network.as_dict()["topology"]["down"] == [
        24
    ]


def test_a_torus_is_near_a_cube_unless_its_lengths_are_known():
    found = plan("fx1", "torus", 256)
    assert found.network.as_dict()["topology"]["dimensions"] == [4, 4, 4]
    assert "the torus is 4x4x4 (no fact network.topology.dimensions)" in found.told.assumed
    known = plan("fx1", "torus", 256, "network.topology.dimensions=8x4x2").network.as_dict()
    assert known["topology"]["dimensions"] == [8, 4, 2]
    with pytest.raises(UserError, match="write it like 8x8x4"):
        plan("fx1", "torus", 256, "network.topology.dimensions=cube")


@pytest.mark.parametrize(
    ("nodes", "lengths"),
    [(1, [1, 1, 1]), (7, [2, 2, 2]), (8, [2, 2, 2]), (12, [3, 2, 2]), (1000, [10, 10, 10])],
)
def test_near_cubes_hold_the_nodes(nodes, lengths):
    found = near_cube(nodes)
    assert found[0] * found[1] * found[2] >= nodes
    assert nodes == 7 or found == lengths


def test_hops_are_not_counted_twice():
    plain = plan("fx1", "crossbar", 64).network.as_dict()
    hops = plan("fx1", "crossbar", 64, "network.topology.hop_latency=100ns").network.as_dict()
    assert hops["topology"]["hop_latency_s"] == pytest.approx(1e-7)
    assert hops["levels"]["node"]["latency_s"] == pytest.approx(plain["levels"]["node"]["latency_s"] - 2e-7)
