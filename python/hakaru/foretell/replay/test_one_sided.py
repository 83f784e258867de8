"""Prices of one-sided operations out of facts whose truth is known."""

import pytest

from hakaru.facts.machines import Machine
from hakaru.foretell.replay import levels
from hakaru.foretell.replay.network import network_plan
from hakaru.foretell.replay.one_sided import one_sided

CALL_S, GAP_S, DONE_S = 1e-6, 3e-6, 5e-6


def fact(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "test"}


@pytest.fixture
def machine():
    access = [
        fact(seconds * (1 + size / 1000), window=window, access=kind, part=part, bytes=size)
        for window in ("allocated", "created")
        for kind in ("put", "get", "accumulate")
        for part, seconds in (("call", CALL_S), ("gap", GAP_S), ("done", DONE_S))
        for size in (1000, 8)
    ]
    epoch = [
        fact(20e-6, window="allocated", epoch="fence"),
        fact(30e-6, window="allocated", epoch="exposure"),
        fact(10e-6, window="allocated", epoch="lock"),
        fact(1e-6, window="allocated", epoch="lock_all"),
        fact(4e-7, window="allocated", epoch="flush"),
    ]
    neighbourhood = [fact(n * 1e-6, neighbours=n, ranks=ranks, bytes=8) for ranks in (2, 4) for n in (1, 2)]
    core = {"latency": fact(5e-7), "gap_per_byte": [fact(1e-10, "s/B")]}
    return {
        "schema": "hakaru/machine/1",
        "name": "example",
        "kind": "measured",
        "date": "2026",
        "processor": {"cores": fact(8, "1")},
        "network": {"core": core | {"access": access, "epoch": epoch, "neighbourhood": neighbourhood}},
    }


def test_an_epoch_adds_up_to_what_was_measured(machine):
    prices = one_sided(Machine.of(machine), "core").allocated
    put_s = prices.put[0].call_s + prices.put[0].done_s
    assert prices.put[0].bytes == 8 and put_s == pytest.approx((CALL_S + DONE_S) * 1.008)
    assert put_s + prices.fence_s == pytest.approx(20e-6)
    exposure = [getattr(prices, name) for name in ("post_s", "start_s", "complete_s", "wait_s")]
    assert put_s + sum(exposure) == pytest.approx(30e-6)
    assert put_s + prices.lock_s + prices.unlock_s == pytest.approx(10e-6)
    assert prices.lock_all_s == 0.0, "an epoch that took less than its put leaves nothing"
    assert prices.flush_s == 4e-7


def test_new_data_have_a_price_where_it_was_timed(machine):
    put = one_sided(Machine.of(machine), "core").allocated.put
    assert put[0].new_s is None and "new_s" not in put[0].as_dict()
    machine["network"]["core"]["access"] += [
        fact(3e-7, window="allocated", access="put", bytes=one.bytes, part="new") for one in put
    ]
    assert {one.new_s for one in one_sided(Machine.of(machine), "core").allocated.put} == {3e-7}


def test_a_put_that_raises_a_flag_has_a_price_where_it_was_timed(machine):
    put = one_sided(Machine.of(machine), "core").allocated.put
    assert "flag_s" not in put[0].as_dict()
    machine["network"]["core"]["access"] += [
        fact(1e-7, window="allocated", access="put", bytes=one.bytes, part="flag") for one in put
    ]
    prices = one_sided(Machine.of(machine), "core").allocated
    assert {one.flag_s for one in prices.put} == {1e-7} and {one.flag_s for one in prices.get} == {0.0}


def test_puts_out_of_pieces_have_a_price_where_it_was_timed(machine):
    assert one_sided(Machine.of(machine), "core").allocated.put_pieces == ()
    machine["network"]["core"]["put_pieces"] = [fact(5e-11, "s/B", bytes=512, piece_bytes=64)]
    prices = one_sided(Machine.of(machine), "core")
    (found,) = prices.allocated.put_pieces
    assert (found.piece_bytes, found.bytes, found.s_per_byte) == (64, 512, 5e-11)
    assert prices.created.put_pieces == (), "of windows whose puts raise flags"


def test_a_rank_that_waits_for_a_flag_goes_on_when_it_has_seen_it(machine):
    (least, *_) = one_sided(Machine.of(machine), "core").allocated.put
    assert least.seen_s == 0.0
    machine["network"]["core"]["flagged_put"] = [fact(least.call_s + 2e-7, bytes=least.bytes)]
    prices = one_sided(Machine.of(machine), "core")
    assert prices.allocated.put[0].seen_s == pytest.approx(2e-7)
    assert {one.seen_s for one in (*prices.allocated.put[1:], *prices.allocated.get)} == {0.0}
    machine["network"]["core"]["flagged_put"] = [fact(0.5 * least.call_s, bytes=least.bytes)]
    assert one_sided(Machine.of(machine), "core").allocated.put[0].seen_s == 0.0, "not before its call"


@pytest.mark.parametrize(
    ("epoch", "calls"),
    [
        ("fence", ["fence"]),
        ("exposure", ["post", "start", "complete", "wait"]),
        ("lock", ["lock", "unlock"]),
        ("flush", ["flush"]),
    ],
)
def test_calls_apart_have_prices_of_their_own_where_they_were_timed(machine, epoch, calls):
    def prices():
        return one_sided(Machine.of(machine), "core").allocated

    def sums():
        return [sum(getattr(prices(), f"{call}{spacing}_s") for call in calls) for spacing in ("", "_apart")]

    unsaid = [name for name in prices().as_dict() if name.endswith("_apart_s")]
    assert not unsaid, "the engine takes the others then, not none"
    row = next(one for one in machine["network"]["core"]["epoch"] if one["epoch"] == epoch)
    machine["network"]["core"]["epoch"].append(
        row | {"epoch": f"{epoch}_apart", "value": row["value"] + 5e-6}
    )
    in_a_row_s, apart_s = sums()
    assert apart_s - in_a_row_s == pytest.approx(5e-6)
    machine["network"]["core"]["access"].append(
        fact(2e-6, window="allocated", access="put", bytes=8, part="apart")
    )
    put_s = 0.0 if epoch == "flush" else 2e-6
    assert sums() == pytest.approx([in_a_row_s, apart_s - put_s]), "its put is apart, too"


def test_accesses_apart_take_longer_only_where_the_probe_is_sure(machine):
    machine["network"]["core"]["access"] += [
        fact(5e-9, window="allocated", access="get", bytes=8, part="apart", low=4e-9, high=6e-9),
        fact(5e-6, window="allocated", access="get", bytes=1000, part="apart", low=-4e-6, high=6e-6),
    ]
    assert [one.apart_s for one in one_sided(Machine.of(machine), "core").allocated.get] == [5e-9, 0.0]


def test_a_level_without_them_has_no_prices(machine):
    machine["network"]["core"]["access"] = [
        entry for entry in machine["network"]["core"]["access"] if entry["access"] != "accumulate"
    ]
    assert one_sided(Machine.of(machine), "core") is None
    assert levels.level_of(Machine.of(machine), "core", levels.Told()).one_sided is None


def test_exchanges_over_a_graph_take_what_was_measured_within_a_level(machine):
    plan = network_plan(Machine.of(machine), "loggp", 2, 1)
    assert plan.network.as_dict()["collectives"]["neighbour_exchange"]["table"] == [
        {"ranks": 1, "bytes": 8, "value_s": 1e-6},
        {"ranks": 2, "bytes": 8, "value_s": 2e-6},
    ]
    asked = network_plan(Machine.of(machine), "loggp", 2, 1, collectives={"neighbour_exchange": "linear"})
    assert asked.network.as_dict()["collectives"]["neighbour_exchange"] == {"algorithm": "linear"}
    assert "exchanges on a grid take what those over a graph take" in plan.told.assumed
    del machine["network"]["core"]["neighbourhood"]
    assert "collectives" not in network_plan(Machine.of(machine), "loggp", 2, 1).network.as_dict()


def on_grid(machine, *facts):
    """The table of exchanges on a grid and what is told, with such facts beside those of graphs, which take 1 and 2 us."""
    machine["network"]["core"]["neighbourhood"] += facts
    plan = network_plan(Machine.of(machine), "loggp", 2, 1)
    return plan.network.as_dict()["collectives"]["neighbour_exchange"].get("grid_table"), plan.told


def test_exchanges_on_a_grid_take_what_two_partners_took_in_proportion(machine):
    long = [fact(n * 4e-6, neighbours=n, ranks=2, bytes=64) for n in (1, 2)]
    grid = [fact(3e-6, topology="grid", neighbours=2, ranks=ranks, bytes=8) for ranks in (2, 4)]
    wider = fact(9e-6, topology="grid", neighbours=4, ranks=2, bytes=8)
    table, told = on_grid(machine, *long, *grid, wider)
    assert [(one["ranks"], one["bytes"], one["value_s"]) for one in table] == [
        (1, 8, pytest.approx(1.5e-6)),
        (2, 8, pytest.approx(3e-6)),
        (1, 64, pytest.approx(6e-6)),
        (2, 64, pytest.approx(12e-6)),
    ]
    assert any("exchanges on a grid take longer" in text for text in told.assumed)
    assert sum("neighbourhood" in basis.fact for basis in told.facts) == 5


def test_grids_without_a_graph_of_as_many_bytes_have_no_table(machine):
    table, told = on_grid(machine, fact(3e-6, topology="grid", neighbours=2, ranks=2, bytes=16))
    assert table is None and "exchanges on a grid take what those over a graph take" in told.assumed
    machine["network"]["core"]["neighbourhood"] = []
    machine["network"]["core"]["neighbourhood"].append(
        fact(3e-6, topology="grid", neighbours=2, ranks=2, bytes=8)
    )
    assert "collectives" not in network_plan(Machine.of(machine), "loggp", 2, 1).network.as_dict()
