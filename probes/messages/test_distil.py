"""LogGP parameters, protocol changes and facts out of synthetic records whose truth is known."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, layout, probed, table, with_tables, without_rows

distil = load_module(Path(__file__).with_name("distil.py"))
piecewise = load_module(Path(__file__).with_name("piecewise.py"))

CLOCK_S = 30e-9


@dataclass
class Truth:
    """A network that behaves exactly like LogGP: (largest bytes, g, G) of each size class."""

    latency_s: float = 2e-6
    send_overhead_s: float = 0.4e-6
    receive_overhead_s: float = 0.6e-6
    classes: list[tuple[float, float, float]] = field(default_factory=lambda: [(np.inf, 0.9e-6, 2e-10)])
    eager_bytes: float = np.inf

    def gap(self, size: int) -> float:
        for largest, g, per_byte in self.classes:
            if size <= largest:
                return g + per_byte * (size - 1)
        raise AssertionError(size)

    def round_trip(self, size: int) -> float:
        return 2.0 * (self.latency_s + self.classes[-1][2] * (size - 1))


SIZES = sorted({round(2 ** (k / 4)) for k in range(4 * 20 + 1)})


@dataclass
class Disturbed:
    """Samples of a time with noise, and outliers up to eleven times as long."""

    seed: int
    noise: float
    outliers: float

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(self.seed)

    def __call__(self, seconds: float) -> float:
        chance = self.generator.random
        disturbed = 1.0 + (10.0 * chance() if chance() < self.outliers else 0.0)
        return float(seconds * np.exp(self.noise * self.generator.standard_normal()) * disturbed)


COLUMNS = {
    "prtt": "pair messages delay_s bytes repetition seconds",
    "receive_overhead": "pair bytes repetition delay_s seconds send_s",
    "unexpected_send": "pair bytes repetition delay_s send_s",
    "pingpong": "pair bytes repetition seconds",
    "pingpong_apart": "pair bytes repetition seconds",
    "both_ways": "pair bytes repetition seconds",
    "apart": "pair bytes repetition seconds",
    "post_work_wait": "pair bytes repetition work_s seconds",
    "collectives": "operation ranks level bytes repetition seconds",
}
Rows = dict[str, list[list]]


def add_trains(rows: Rows, truth: Truth, measured: Disturbed, at: tuple[int, int], train: int, spaced: int):
    """Round trips of one message, of trains and of spaced trains, and both overheads; ``at``: bytes and repetition."""
    size = at[0]
    one_s = delay_s = truth.round_trip(size)
    spaced_s = one_s + (spaced - 1) * (truth.send_overhead_s + delay_s + CLOCK_S)
    send_s = 4.0 * delay_s if size > truth.eager_bytes else truth.send_overhead_s
    rows["prtt"].append([0, 1, 0.0, *at, measured(one_s)])
    rows["prtt"].append([0, train, 0.0, *at, measured(one_s + (train - 1) * truth.gap(size))])
    rows["prtt"].append([0, spaced, delay_s, *at, spaced_s + (measured(one_s) - one_s)])
    received_s = measured(truth.receive_overhead_s) + CLOCK_S
    rows["receive_overhead"].append([0, *at, 4.0 * delay_s, received_s, measured(send_s)])
    rows["unexpected_send"].append([0, *at, 4.0 * delay_s, measured(send_s)])


def add_exchanges(rows: Rows, truth: Truth, measured: Disturbed, repetition: int, level: str) -> None:
    for size in (0, 8, 1024):
        at = (0, size, repetition)
        rows["pingpong"].append([*at, measured(truth.latency_s + size * 1e-9)])
        rows["both_ways"].append([*at, measured(truth.latency_s + 2 * size * 1e-9)])
        rows["post_work_wait"].append([*at, 3e-6, 3e-6 + measured(0.5e-6)])
    for operation, size in (("allreduce", 8), ("barrier", 0)):
        rows["collectives"].append([operation, 2, level, size, repetition, measured(5e-6)])


def make_record(
    truth: Truth,
    seed: int = 1,
    rounds: int = 15,
    noise: float = 0.01,
    outliers: float = 0.05,
    identity: str = "r1",
    level: str = "core",
    train: int = 16,
    spaced: int = 16,
) -> Record:
    measured = Disturbed(seed, noise, outliers)
    rows: Rows = defaultdict(list)
    for repetition in range(rounds):
        for size in SIZES:
            add_trains(rows, truth, measured, (size, repetition), train, spaced)
        add_exchanges(rows, truth, measured, repetition, level)
    clock = [[repetition, measured(CLOCK_S)] for repetition in range(rounds)]
    return probed(
        identity,
        table("pairs", "pair level rank_a rank_b", [[0, level, 0, 1]]),
        table("clock", "repetition seconds", clock),
        *(table(name, columns, rows[name]) for name, columns in COLUMNS.items()),
        ranks=2,
    )


def core(records: list[Record]) -> dict:
    return distil.distil(records)["network"]["core"]


TWO_PROTOCOLS = Truth(classes=[(4096, 0.9e-6, 2e-10), (np.inf, 4e-6, 1e-10)], eager_bytes=4096)


@pytest.mark.parametrize("seed", range(5))
def test_recovers_the_parameters_of_a_network_without_protocol_change(seed: int) -> None:
    truth = Truth()
    facts = core([make_record(truth, seed)])
    assert facts["latency"]["value"] == pytest.approx(truth.latency_s, rel=0.03)
    assert facts["latency_without_overheads"]["value"] == pytest.approx(1e-6, rel=0.06)
    assert "eager_limit" not in facts
    assert "unattended_send_limit" not in facts
    assert len(facts["gap"]) == len(facts["gap_per_byte"]) == 1
    assert facts["gap"][0]["value"] == pytest.approx(0.9e-6, rel=0.03)
    assert facts["gap_per_byte"][0]["value"] == pytest.approx(2e-10, rel=0.03)
    for entry in facts["receive_overhead"]:
        assert entry["value"] == pytest.approx(truth.receive_overhead_s, rel=0.03)
    small = [entry for entry in facts["send_overhead"] if entry["maximum_bytes"] < 4096]
    assert len(small) > 8
    for entry in small:
        assert entry["value"] == pytest.approx(truth.send_overhead_s, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_finds_the_protocol_change(seed: int) -> None:
    facts = core([make_record(TWO_PROTOCOLS, seed)])
    limit = facts["eager_limit"]
    assert (limit["value"], limit["low"], limit["high"], limit["unit"]) == (4096, 4096, 4871, "B")
    assert [(entry["minimum_bytes"], entry["maximum_bytes"]) for entry in facts["gap"]] == [
        (0, 4096),
        (4097, 2**20),
    ]
    for index, (_, g, per_byte) in enumerate(TWO_PROTOCOLS.classes):
        assert facts["gap"][index]["value"] == pytest.approx(g, rel=0.04)
        assert facts["gap_per_byte"][index]["value"] == pytest.approx(
            per_byte, rel=0.15 if index == 0 else 0.04
        )


@pytest.mark.parametrize(
    ("found", "limit"),
    [
        ([(4480, 4608)], (4480, 4480, 4608)),  # the trains have 4096 and 4871 B
        ([(4480, 4608), (4544, 4640)], (4544, 4544, 4608)),
        ([(4480, 4608), (4640, 4700)], (4480, 4480, 4608)),  # the second contradicts the first
        ([(8192, 8320)], (4096, 4096, 4871)),
    ],
)
def test_the_probe_narrows_the_protocol_change_between_two_sizes(found, limit) -> None:
    rows = [[0, *both] for both in found]
    fact = core([with_tables(make_record(TWO_PROTOCOLS), table("eager", "pair low_bytes high_bytes", rows))])[
        "eager_limit"
    ]
    assert (fact["value"], fact["low"], fact["high"]) == limit


def test_spaced_trains_may_be_shorter_than_the_others() -> None:
    facts = core([make_record(Truth(), spaced=4, noise=0.001)])
    small = [entry for entry in facts["send_overhead"] if entry["maximum_bytes"] < 1024]
    for entry in small:
        assert entry["value"] == pytest.approx(Truth().send_overhead_s, rel=0.05)


def with_stolen(record: Record, after_send_s: float, before_receive_s: float) -> Record:
    """Every message takes so much of the processors; so do the two in the delay before a receive that end one and ask for the next."""
    at, others = {(size, repetition) for _, _, _, size, repetition, _ in record.table("prtt").rows}, 0.01
    delay_s = 8e-6
    rows = [[0, "send", *one, delay_s, others * delay_s + after_send_s] for one in at]
    all_s = 2.0 * after_send_s + before_receive_s
    rows += [[0, "receive", *one, 4 * delay_s, 4 * others * delay_s + all_s] for one in at]
    return with_tables(
        record,
        table("stolen", "pair call bytes repetition delay_s seconds", rows),
        table("quiet", "repetition delay_s seconds", [[0, 2e-3, others * 2e-3]]),
    )


def test_what_messages_take_of_processors_outside_of_calls_belongs_to_their_overheads() -> None:
    record = make_record(Truth(), noise=0.001, outliers=0.0)
    facts = core([with_stolen(record, 0.2e-6, 0.3e-6)])
    for name, seconds in (("send_overhead", 0.6e-6), ("receive_overhead", 0.9e-6)):
        for entry in facts[name][:8]:
            assert entry["value"] == pytest.approx(seconds, rel=0.05)
    assert facts["latency"]["value"] == pytest.approx(2e-6, rel=0.01)
    assert facts["latency_without_overheads"]["value"] == pytest.approx(0.5e-6, rel=0.05)


def test_it_is_never_more_than_a_ping_pong_leaves_for_it() -> None:
    record = make_record(Truth(), noise=0.001, outliers=0.0)
    facts = core([with_stolen(record, 3e-6, 1e-6)])
    sent, received = (facts[f"{name}_overhead"][0]["value"] for name in ("send", "receive"))
    assert sent == pytest.approx(0.4e-6 + 0.75e-6, rel=0.05)
    assert received == pytest.approx(0.6e-6 + 0.25e-6, rel=0.05)


def test_a_change_of_cost_without_waiting_is_no_eager_limit() -> None:
    facts = core([make_record(Truth(classes=TWO_PROTOCOLS.classes))])
    assert "eager_limit" not in facts
    assert len(facts["gap"]) == 2


def test_a_network_without_eager_messages_has_limit_zero() -> None:
    limit = core([make_record(Truth(eager_bytes=0))])["eager_limit"]
    assert (limit["value"], limit["high"]) == (0, 1)


def test_size_classes_leave_no_hole() -> None:
    facts = core([make_record(Truth(classes=TWO_PROTOCOLS.classes, eager_bytes=3500))])
    for name in ("gap", "gap_per_byte", "send_overhead", "receive_overhead"):
        assert facts[name][0]["minimum_bytes"] == 0
        assert facts[name][-1]["maximum_bytes"] == 2**20
        for before, after in zip(facts[name], facts[name][1:], strict=False):
            assert after["minimum_bytes"] == before["maximum_bytes"] + 1


def test_intervals_contain_their_values_and_mostly_the_truth() -> None:
    held = []
    for seed in range(25):
        facts = core([make_record(Truth(), seed, outliers=0.0)])
        for name, truth in (("gap", 0.9e-6), ("gap_per_byte", 2e-10)):
            entry = facts[name][0]
            assert entry["low"] <= entry["value"] <= entry["high"]
            held.append(entry["low"] <= truth <= entry["high"])
    assert np.mean(held) > 0.85


def test_launches_count_as_samples_when_there_are_enough() -> None:
    records = [make_record(Truth(), seed, rounds=5, identity=f"r{seed}") for seed in range(6)]
    facts = core(records)
    assert (
        facts["latency"]["samples"]
        == facts["pingpong"][0]["samples"]
        == facts["allreduce"][0]["samples"]
        == 6
    )
    assert core(records[:2])["latency"]["samples"] == 10
    assert "r0" in facts["gap"][0]["source"] and "r5" in facts["gap"][0]["source"]


def test_levels_are_kept_apart_and_the_tree_is_a_valid_machine() -> None:
    near, far = make_record(TWO_PROTOCOLS), make_record(Truth(latency_s=20e-6), identity="r2", level="node")
    network = distil.distil([near, far])["network"]
    assert network["core"]["latency"]["value"] == pytest.approx(2e-6, rel=0.03)
    assert network["node"]["latency"]["value"] == pytest.approx(20e-6, rel=0.03)
    assert network["node"]["allreduce"][0]["ranks"] == 2
    machine = {
        "schema": "hakaru/machine/1",
        "name": "m",
        "kind": "measured",
        "date": "2026-11-21",
        "network": network,
    }
    validate(machine)


@pytest.mark.parametrize(
    "fields",
    [
        {"layout": layout(2, 1, oversubscribed=True)},
        {"status": "failed"},
        {"command": "verify"},
        {"layout": layout(1, 1)},
    ],
)
def test_leaves_out_records_that_say_nothing_about_the_network(fields) -> None:
    assert distil.distil([changed(make_record(Truth(), rounds=2), **fields)]) == {}


def test_missing_sizes_and_rounds_are_no_obstacle() -> None:
    whole = make_record(TWO_PROTOCOLS)
    cut = [
        table(name, COLUMNS[name], list(whole.table(name).rows[:-40])) for name in ("prtt", "unexpected_send")
    ]
    assert len(core([with_tables(whole, *cut)])["gap"]) == 2


def test_a_record_of_collectives_only() -> None:
    record = without_rows(make_record(Truth(), rounds=3), *(COLUMNS.keys() - {"collectives"}))
    assert set(core([record])) == {"allreduce", "barrier"}


def test_line_is_the_least_squares_line_and_never_negative() -> None:
    x, weight = np.array([0.0, 1.0, 2.0, 5.0]), np.ones(4)
    assert piecewise.line(x, 3.0 + 2.0 * x, weight) == pytest.approx((3.0, 2.0))
    assert piecewise.line(x, 3.0 - 0.1 * x, weight) == pytest.approx((2.8, 0.0))
    intercept, slope = piecewise.line(x, 2.0 * x - 1.0, weight)
    assert intercept == 0.0 and slope == pytest.approx((2.0 * (x**2).sum() - x.sum()) / (x**2).sum())
    assert piecewise.line(np.array([3.0]), np.array([7.0]), np.ones(1)) == pytest.approx((7.0, 0.0))


def test_change_points_of_three_pieces() -> None:
    x = np.arange(30.0)
    value = np.where(x < 10, 1.0, np.where(x < 20, 2.0, 0.1 * x + 5.0))
    assert piecewise.change_points(x, value, 0.05 * value) == [(0, 9), (10, 19), (20, 29)]


def test_a_rendezvous_holds_its_sender_until_after_its_receive() -> None:
    """The request is on its way for half of a round trip; the send lasts as long as the receiver's delay, so the receive ends later."""
    truth = TWO_PROTOCOLS
    facts = core([make_record(truth, noise=0.0, outliers=0.0)])["release"]
    assert all(
        entry["value"] == pytest.approx(0.5 * truth.round_trip(1) - truth.receive_overhead_s - CLOCK_S)
        for entry in facts
    )
    assert facts[0]["minimum_bytes"] == 0 and facts[0]["maximum_bytes"] > truth.eager_bytes
    assert "release" not in core([make_record(Truth())])


def test_neighbourhoods_are_told_apart_by_their_partners() -> None:
    record = make_record(Truth())
    more = [[f"neighbourhood_{n}", 2, "core", 8, r, n * 1e-6] for n in (1, 2) for r in range(7)]
    collectives = table("collectives", COLUMNS["collectives"], [*record.table("collectives").rows, *more])
    facts = distil.distil([with_tables(record, collectives)])["network"]["core"]["neighbourhood"]
    assert [(entry["neighbours"], entry["bytes"], entry["value"]) for entry in facts] == [
        (1, 8, 1e-6),
        (2, 8, 2e-6),
    ]


def test_neighbourhoods_on_a_grid_say_so() -> None:
    record = make_record(Truth())
    ways = {"neighbourhood_2": 2e-6, "neighbourhood_grid_2": 3e-6}
    more = [[way, 2, "core", 8, r, seconds] for way, seconds in ways.items() for r in range(7)]

    def facts(rows: list[list]) -> list[dict]:
        collectives = table("collectives", COLUMNS["collectives"], [*record.table("collectives").rows, *rows])
        return distil.distil([with_tables(record, collectives)])["network"]["core"]["neighbourhood"]

    told = [(one["neighbours"], one.get("topology"), one["value"]) for one in facts(more)]
    assert told == [(2, None, 2e-6), (2, "grid", 3e-6)]
    older = [row for row in more if row[0] == "neighbourhood_2"]
    assert facts(older) == [one for one in facts(more) if "topology" not in one]


def test_the_residual_of_a_line_is_a_number() -> None:
    facts = distil.distil([make_record(Truth())])["network"]["core"]["gap_per_byte"]
    assert all(0.0 <= entry["residual"] < 1.0 for entry in facts)
