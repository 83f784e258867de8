"""Setting facts, levels from facts, placement, ranges."""

import copy

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.machines.missing import NODES, missing
from hakaru.foretell.replay import levels, placement, ranges, settable
from hakaru.foretell.replay.network import network_plan

PLACES = {"core": 1, "socket": 2, "node": 3, "switch": 4}


def fact(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "test"}


def level_document(machine, name, told):
    return levels.level_of(machine, name, told).as_dict()


@pytest.fixture
def machine():
    return {
        "schema": "hakaru/machine/1",
        "name": "example",
        "kind": "measured",
        "date": "2026",
        "processor": {"cores": fact(8, "1"), "sockets": fact(2, "1")},
        "network": {
            "core": {
                "latency": fact(5e-7),
                "latency_without_overheads": fact(3e-7),
                "send_overhead": [
                    fact(1e-7, minimum_bytes=0, maximum_bytes=4096),
                    fact(9e-7, minimum_bytes=4097, maximum_bytes=1 << 20),
                ],
                "receive_overhead": [fact(1e-7, minimum_bytes=0, maximum_bytes=1 << 20)],
                "gap": [fact(2e-8, minimum_bytes=0, maximum_bytes=1 << 20)],
                "gap_per_byte": [fact(1e-10, "s/B", minimum_bytes=0, maximum_bytes=1 << 20)],
            },
            "node": {
                "latency": fact(2e-6),
                "gap_per_byte": [fact(8e-11, "s/B")],
                "eager_limit": fact(8192, "B"),
            },
        },
    }


def test_overheads_are_not_counted_twice(machine):
    told = levels.Told()
    assert level_document(Machine.of(machine), "core", told)["latency_s"] == 3e-7
    del machine["network"]["core"]["latency_without_overheads"]
    assert level_document(Machine.of(machine), "core", told)["latency_s"] == pytest.approx(3e-7)


def test_classes_keep_their_sizes_and_a_probed_level_without_limit_has_none(machine):
    found = level_document(Machine.of(machine), "core", levels.Told())
    assert [(piece["minimum_bytes"], piece["maximum_bytes"]) for piece in found["send_overhead"]] == [
        (0, 4096),
        (4097, 1 << 20),
    ]
    assert "eager_limit_bytes" not in found
    assert level_document(Machine.of(machine), "node", levels.Told())["eager_limit_bytes"] == 8192


def test_a_level_without_facts_takes_the_next_one_outwards_and_says_so(machine):
    told = levels.Told()
    found = levels.levels_of(Machine.of(machine), ["socket", "node"], told)
    assert found["socket"] == found["node"]
    assert any("sockets of a node cost what those between nodes" in text for text in told.assumed)


def test_between_nodes_nothing_is_taken_from_inside_a_node(machine):
    del machine["network"]["node"]
    with pytest.raises(UserError, match="does not say network.node.gap_per_byte.*--ranks-per-node"):
        levels.levels_of(Machine.of(machine), ["node"], levels.Told())


def test_a_missing_gap_per_byte_comes_from_ping_pongs(machine):
    del machine["network"]["core"]["gap_per_byte"], machine["network"]["node"]
    machine["network"]["core"]["pingpong"] = [
        fact(1e-6, bytes=8),
        fact(2e-6, bytes=1000),
        fact(5e-6, bytes=4000),
    ]
    told = levels.Told()
    assert level_document(Machine.of(machine), "core", told)["gap_per_byte"][0]["value_s"] == pytest.approx(
        1e-9
    )
    assert any("slope of the two largest" in text for text in told.assumed)


@pytest.mark.parametrize("name", sorted(known_machines()))
def test_every_known_machine_has_messages_between_nodes_or_says_that_it_lacks_them(name):
    machine = Machine.load(known_machines()[name])
    if missing(machine, NODES):
        with pytest.raises(UserError, match=f"'{name}' does not say network.node"):
            level_document(machine, "node", levels.Told())
        return
    found = level_document(machine, "node", levels.Told())
    assert 0 < found["latency_s"] < 1e-3 and 0 < found["gap_per_byte"][0]["value_s"] < 1e-7


def test_ranks_fill_sockets_then_nodes(machine):
    placed = placement.placement(Machine.of(machine), 1, None, levels.Told())
    assert (placed.ranks_per_node, placed.ranks_per_socket) == (8, 4)
    assert placed.levels(1) == [] and placed.levels(4) == ["core"]
    assert placed.levels(8) == ["core", "socket"] and placed.levels(9) == ["core", "socket", "node"]
    assert placement.placement(Machine.of(machine), 4, None, levels.Told()).levels(8) == ["socket", "node"]


def test_a_latency_across_switches_always_counts(machine):
    changed, _ = settable.with_settings(Machine.of(machine), ["network.switch.latency=7us"])
    told = levels.Told()
    placed = placement.placement(changed, 1, None, told)
    assert placed.levels(9) == ["core", "socket", "switch"]
    assert any("crosses switches" in text for text in told.assumed)
    found = levels.levels_of(changed, placed.levels(9), told)
    assert found["switch"].latency_s == 7e-6 and found["switch"].gap_per_byte[0].value_s == 8e-11


def test_more_threads_than_cores_are_told(machine):
    told = levels.Told()
    placement.placement(Machine.of(machine), 2, 8, told)
    assert any("do not slow each other" in text for text in told.assumed)


def test_without_cores_the_ranks_of_a_node_must_be_given(machine):
    del machine["processor"]["cores"]
    with pytest.raises(UserError, match="processor.cores.*--ranks-per-node"):
        placement.placement(Machine.of(machine), 1, None, levels.Told())


def test_setting_leaves_the_machine_as_it_was(machine):
    before = copy.deepcopy(machine)
    changed, told = settable.with_settings(
        Machine.of(machine), ["network.core.latency=2us", "network.node.bandwidth=10Gbit/s"]
    )
    assert machine == before
    assert changed.find("network.core.latency_without_overheads") is None
    assert changed.number("network.node.gap_per_byte") == pytest.approx(8e-10)
    assert [change.fact for change in told] == ["network.core.latency", "network.node.bandwidth"]


def test_another_bandwidth_means_other_links_too(machine):
    machine["network"]["topology"] = {"link_bandwidth": fact(5e10, "B/s")}
    changed, _ = settable.with_settings(Machine.of(machine), ["network.node.bandwidth=2.5GB/s"])
    assert changed.number("network.topology.link_bandwidth") == pytest.approx(1e10)  # a fifth of 12.5 GB/s
    changed, _ = settable.with_settings(Machine.of(machine), ["network.node.bandwidth=2x"])
    assert changed.number("network.topology.link_bandwidth") == pytest.approx(1e11)
    changed, _ = settable.with_settings(
        Machine.of(machine), ["network.core.bandwidth=2x", "network.node.gap_per_byte=1ns/B"]
    )
    assert changed.number("network.topology.link_bandwidth") == 5e10


def test_multiplying_changes_every_size_class(machine):
    changed, _ = settable.with_settings(
        Machine.of(machine), ["network.core.send_overhead=0.5x", "network.core.bandwidth=2x"]
    )
    assert [fact.value for fact in changed.facts("network.core.send_overhead")] == [5e-8, 4.5e-7]
    assert changed.number("network.core.gap_per_byte") == pytest.approx(5e-11)
    assert "times 0.5" in changed.find("network.core.send_overhead").source


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("network.node.latancy=2us", r"no fact 'network.node.latancy'.*did you mean network.node.latency"),
        ("network.node.latency=2GB/s", r"'s' is needed.*write it like 2us"),
        ("network.node.latency=fast", "does not begin with a number"),
        ("network.node.latency=-1us", "is negative"),
        ("network.node.bandwidth=0", "rate of zero"),
        ("network.node.latency", "a fact is set as NAME=VALUE"),
        ("network.socket.gap=2x", "has no such fact"),
        ("network.node.latency=0x", "a factor above zero"),
    ],
)
def test_wrong_settings_are_refused_in_words(machine, word, why):
    with pytest.raises(UserError, match=why):
        settable.with_settings(Machine.of(machine), [word])


def test_ranges_are_spaced_in_the_logarithm_unless_asked(machine):
    found = ranges.sweep(Machine.of(machine), "network.node.latency=1us..100us:3")
    assert found.values == pytest.approx((1e-6, 1e-5, 1e-4)) and found.logarithmic
    assert ranges.sweep(Machine.of(machine), "network.node.latency=1..3us:3:lin").values == pytest.approx(
        (1e-6, 2e-6, 3e-6)
    )
    assert ranges.sweep(Machine.of(machine), "network.node.latency=0..4us:5").values == pytest.approx(
        (0, 1e-6, 2e-6, 3e-6, 4e-6)
    )
    assert ranges.sweep(Machine.of(machine), "compute.factor=0.5,1,2").values == (0.5, 1.0, 2.0)
    assert (
        len(ranges.sweep(Machine.of(machine), "network.node.bandwidth=1..100Gbit/s").values)
        == ranges.DEFAULT_VALUES
    )


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("network.node.latency=1us..", "a range has two ends"),
        ("network.node.latency=1us..1us", "both ends are the same"),
        ("network.node.latency=0..1us:4:log", "cannot begin at zero"),
        ("network.node.latency=1us..2us:1", "number of values"),
        ("network.node.latency=1us", "takes 1 values"),
        ("network.nod.latency=1us..2us", "did you mean"),
        ("network.topology.dimensions=1..2", "it is no number"),
        ("network.node.latency=1GB..2GB", "'s' is needed"),
    ],
)
def test_wrong_ranges_are_refused_in_words(machine, word, why):
    with pytest.raises(UserError, match=why):
        ranges.sweep(Machine.of(machine), word)


def by_size(values, **bounds):
    return [fact(value, bytes=size, **bounds) for size, value in values.items()]


def test_what_crosses_comes_later_where_exchanges_are_slower(machine):
    node = machine["network"]["node"]
    node["crossing"] = by_size({0: 0.0, 100: 2e-6, 10000: 1e-6})
    pieces = level_document(Machine.of(machine), "node", levels.Told())["crossing"]
    assert [(piece["minimum_bytes"], piece["maximum_bytes"]) for piece in pieces] == [
        (0, 0),
        (1, 1000),
        (1001, None),
    ]
    assert [piece["value_s"] for piece in pieces] == pytest.approx([0.0, 2e-6, 1e-6])
    node["crossing"] = by_size({0: 0.0, 100: 2e-6, 10000: 1e-6}, low=-1e-7)  # within the noise
    assert "crossing" not in level_document(Machine.of(machine), "node", levels.Told())


def test_messages_after_computing_take_longer_where_the_probe_is_sure(machine):
    node = machine["network"]["node"]
    node["after_work"] = [
        fact(value, bytes=8, work_s=work_s, memory_bytes=memory_bytes, low=low, high=2.0 * value)
        for work_s, memory_bytes, value, low in (
            (2e-6, 1024, 1e-7, -1e-8),
            (8e-6, 1024, 4e-7, 3e-7),
            (8e-6, 4096, 9e-7, 8e-7),
        )
    ]
    found = level_document(Machine.of(machine), "node", levels.Told())["after_work"]
    told = [(one["memory_bytes"], one["work_s"], one["value_s"]) for one in found]
    assert told[:2] == [(1024, 2e-6, 0.0), (1024, 8e-6, 4e-7)]
    assert told[2:] == [(4096, 2e-6, 0.0), (4096, 8e-6, 9e-7)], "short work cannot go far"
    del node["after_work"][1:]
    assert "after_work" not in level_document(Machine.of(machine), "node", levels.Told())


def test_messages_after_computing_go_by_how_cold_that_left_caches(machine):
    """A size that was not measured at some is between its own there; below its own least nothing is made up."""
    node = machine["network"]["node"]
    node["after_cold"] = [
        fact(value, bytes=size, cold_s=cold_s)
        for size, cold_s, value in (
            (8, 8e-9, 1e-7),
            (8, 32e-9, 3e-7),
            (8, 64e-9, 2e-7),
            (4096, 16e-9, 5e-7),
            (4096, 64e-9, 9e-7),
        )
    ]
    found = level_document(Machine.of(machine), "node", levels.Told())["after_cold"]
    longer_ns = {
        size: {
            round(1e9 * one["cold_s"]): round(1e9 * one["value_s"]) for one in found if one["bytes"] == size
        }
        for size in (8, 4096)
    }
    assert longer_ns == {8: {8: 100, 16: 200, 32: 300, 64: 300}, 4096: {16: 500, 32: 700, 64: 900}}


def test_persistent_sends_have_a_price_where_the_probe_is_sure(machine):
    node = machine["network"]["node"]
    node["persistent"] = [
        fact(2e-7, bytes=8),
        fact(-1e-7, bytes=512),
        fact(1e-8, bytes=4096, low=-1e-8, high=3e-8),
    ]
    told = levels.Told()
    found = level_document(Machine.of(machine), "node", told)["persistent"]
    assert [(one.get("maximum_bytes"), one["value_s"]) for one in found] == [
        (64, 2e-7),
        (1448, -1e-7),
        (None, 0.0),
    ]
    assert any("network.node.persistent" in str(one) for one in told.facts)
    del node["persistent"][:2]
    assert "persistent" not in level_document(Machine.of(machine), "node", levels.Told())


def served(machine) -> dict:
    node = machine["network"]["node"]
    node["sending"] = [
        fact(value, bytes=8, work_s=work_s) for work_s, value in ((2e-6, 4e-5), (128e-6, 6e-5))
    ]
    node["receiving"] = [fact(5e-6, bytes=8)]
    return node


def test_processors_that_serve_the_network_are_kept_as_long_as_the_probe_says(machine):
    served(machine)
    told = levels.Told()
    found = level_document(Machine.of(machine), "node", told)
    assert [(one["work_s"], one["value_s"]) for one in found["sending"]] == [(2e-6, 4e-5), (128e-6, 6e-5)]
    assert found["receiving"] == [{"bytes": 8, "value_s": 5e-6}]
    for name in ("sending", "receiving"):
        assert any(f"network.node.{name}" in str(one) for one in told.facts)


def test_overheads_that_are_set_hold_for_what_processors_are_kept_too(machine):
    served(machine)
    changed, _ = settable.with_settings(Machine.of(machine), ["network.node.send_overhead=1us"])
    found = level_document(changed, "node", levels.Told())
    assert "sending" not in found and "receiving" not in found


def test_computing_after_waiting_takes_as_much_longer_as_the_probe_says(machine):
    def after(value: float, waited_s: float, memory_bytes: int, sweep_s: float):
        return fact(value, waited_s=waited_s, memory_bytes=memory_bytes, sweep_s=sweep_s)

    node = machine["network"]["node"]
    node["refilling"] = [
        after(1e-5, 1e-4, 1 << 20, 2e-5),
        after(-1e-6, 1e-4, 1 << 22, 1e-4),
        after(9e-6, 1e-4, 1 << 24, 1e-4),
    ]
    told = levels.Told()
    found = level_document(Machine.of(machine), "node", told)["refilling"]
    assert [(one["memory_bytes"], one["sweep_s"], one["value_s"]) for one in found] == [
        (1 << 20, 2e-5, 1e-5),
        (1 << 22, 1e-4, 0.0),
    ], "more that is gone over as fast tells nothing of computing"
    assert any("network.node.refilling" in str(one) for one in told.facts)
    node["refilling"] = node["refilling"][1:2]
    assert "refilling" not in level_document(Machine.of(machine), "node", levels.Told())


def test_work_beside_messages_hides_all_but_what_they_keep_of_processors(machine):
    node = served(machine)
    node["exchange"] = by_size({8: 1e-4})
    node["exchange_beside_work"] = by_size({8: 6.5e-5})
    assert "progress" not in level_document(Machine.of(machine), "node", levels.Told())
    node["receiving"] = [fact(0.0, bytes=8)]
    (piece,) = level_document(Machine.of(machine), "node", levels.Told())["progress"]
    assert piece["value"] == pytest.approx(1.0 - 5e-6 / 4e-5)


def test_new_memory_costs_where_a_probe_found_that(machine):
    node = machine["network"]["node"]
    node["first_uses"] = [fact(5e-11, bytes=9, use=2), fact(-1e-12, bytes=9, use=1)]
    assert level_document(Machine.of(machine), "node", levels.Told())["first_uses"] == [
        {"bytes": 9, "use": use, "value": value} for use, value in ((1, 0.0), (2, 5e-11), (3, 0.0))
    ]
    del node["first_uses"][0]["bytes"]
    assert [
        one["bytes"] for one in level_document(Machine.of(machine), "node", levels.Told())["first_uses"]
    ] == [9, 9, 64 << 20, 64 << 20], "as probes had it before they said the size"
    del node["first_uses"][0]
    assert "first_uses" not in level_document(Machine.of(machine), "node", levels.Told())


def test_small_pages_cost_a_byte_the_same_at_any_size(machine):
    node = machine["network"]["node"]
    node["small_pages"] = [
        fact(value, bytes=size) for size, value in ((65536, 5e-11), (1048576, 4.6e-11), (262144, 4.7e-11))
    ]
    assert level_document(Machine.of(machine), "node", levels.Told())["small_pages"] == 4.7e-11
    del node["small_pages"]
    assert "small_pages" not in level_document(Machine.of(machine), "node", levels.Told())


def test_progress_is_what_work_hides_of_an_exchange(machine):
    core = machine["network"]["core"]  # both overheads: 0.2 us
    core["exchange"] = by_size({0: 1.2e-6, 100: 2.2e-6, 1000: 4.2e-6})
    core["exchange_beside_work"] = by_size({0: 0.2e-6, 100: 1.2e-6, 1000: 9e-6})
    told = levels.Told()
    pieces = level_document(Machine.of(machine), "core", told)["progress"]
    assert [piece["value"] for piece in pieces] == pytest.approx([1.0, 0.5, 0.0])
    assert any("while their receiver computes" in text for text in told.assumed)
    core["exchange_beside_work"] = by_size({0: 0.2e-6, 100: 0.1e-6, 1000: 0.2e-6})
    assert "progress" not in level_document(Machine.of(machine), "core", levels.Told())


def test_single_messages_stay_as_measured_while_a_fact_is_set(machine):
    core = machine["network"]["core"]
    core["pingpong"] = [fact(seconds, bytes=size) for size, seconds in ((0, 5e-7), (8, 6e-7), (4096, 2e-6))]
    core["window"] = [fact(0.6 * entry["value"], bytes=entry["bytes"]) for entry in core["pingpong"]]
    told = levels.Told()
    plain = level_document(Machine.of(machine), "core", told)
    assert plain["later"] and any("network.core.window" in text for text in told.assumed)
    changed, _ = settable.with_settings(Machine.of(machine), ["network.core.latency=2x"])
    slower = level_document(changed, "core", levels.Told())
    assert slower["latency_s"] == pytest.approx(2 * plain["latency_s"])
    assert slower["later"] == plain["later"] and slower["gap"] == plain["gap"]
    again, _ = settable.with_settings(
        Machine.of(machine), ["network.core.bandwidth=1GB/s", "network.core.latency=0s"]
    )
    flat = level_document(again, "core", levels.Told())
    assert [piece["value_s"] for piece in flat["gap_per_byte"]] == [1e-9] and flat["latency_s"] == 0.0


def test_packing_is_priced_by_the_level_or_the_next_one(machine):
    told = levels.Told()
    assert "packing" not in level_document(Machine.of(machine), "core", told)
    machine["network"]["node"]["packing"] = [fact(2e-10, "s/B", bytes=1024, piece_bytes=8)]
    expected = [{"piece_bytes": 8, "bytes": 1024, "s_per_byte": 2e-10}]
    assert level_document(Machine.of(machine), "node", told)["packing"] == expected
    assert level_document(Machine.of(machine), "core", told)["packing"] == expected
    assert any("network.core.packing is that of network.node" in text for text in told.assumed)
    assert "network.node.packing" in {basis.fact for basis in told.facts}


def test_two_ranks_share_memory_as_the_probes_two_did(machine):
    machine["memory"] = {"bandwidth": [fact(2e10, "B/s", kernel="triad", cores=8)]}
    assert "memory" in network_plan(Machine.of(machine), "hierarchy", 2, 1).network.as_dict()["node"]
    core = machine["network"]["core"]
    core["pingpong"] = [fact(seconds, bytes=size) for size, seconds in ((0, 5e-7), (4096, 2e-6))]
    core["window"] = core["pingpong"]
    assert "node" not in network_plan(Machine.of(machine), "hierarchy", 2, 1).network.as_dict()
    assert "memory" in network_plan(Machine.of(machine), "hierarchy", 4, 1).network.as_dict()["node"]


def test_a_probed_machine_without_windows_says_what_it_takes(machine):
    told = levels.Told()
    assert "later" not in level_document(Machine.of(machine), "core", told)
    assert any("no fact network.core.window" in text for text in told.assumed)


def test_blocking_sends_wait_for_their_receivers_where_the_probe_saw_it(machine):
    core = machine["network"]["core"]
    core["eager_limit"] = fact(4096, "B")
    core["unattended_send_limit"] = fact(256, "B")
    core["release"] = [
        fact(2e-7, minimum_bytes=0, maximum_bytes=511),
        fact(-3e-7, minimum_bytes=512, maximum_bytes=8191),
    ]
    found = level_document(Machine.of(machine), "core", levels.Told())
    assert found["attended_above_bytes"] == 256
    assert [(one["minimum_bytes"], one.get("maximum_bytes"), one["value_s"]) for one in found["release"]] == [
        (0, 511, 2e-7),
        (512, None, -3e-7),
    ]
    core["unattended_send_limit"] = fact(4096, "B")
    assert "attended_above_bytes" not in level_document(Machine.of(machine), "core", levels.Told())
