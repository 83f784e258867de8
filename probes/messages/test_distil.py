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


def test_exchanges_by_size_and_what_they_take_beside_work() -> None:
    facts = core([make_record(Truth(), outliers=0.0)])
    assert [entry["bytes"] for entry in facts["exchange"]] == [0, 8, 1024]
    assert facts["exchange"][2]["value"] == pytest.approx(2e-6 + 2 * 1024e-9, rel=0.02)
    assert facts["exchange_beside_work"][0]["value"] == pytest.approx(0.5e-6, rel=0.02)
    older = without_rows(make_record(Truth()), "both_ways", "post_work_wait")
    assert not {"exchange", "exchange_beside_work"} & set(core([older]))


def crossing_of(disturbed_s: float, eager_bytes: float = np.inf) -> list[dict]:
    """Of five rounds in which exchanges of 8 to 512 B take 15 us longer than the 100 us of a ping-pong, and of 1024 B no longer,
    with one ping-pong of 64 B that was disturbed."""
    record = make_record(Truth(eager_bytes=eager_bytes), rounds=5, outliers=0.0)
    alone, both = [], []
    for repetition in range(5):
        for size in (8, 64, 512, 1024):
            late_s = disturbed_s if (size, repetition) == (64, 2) else 0.0
            at = [0, size, repetition]
            alone.append([*at, 100e-6 + 1e-7 * repetition + late_s])
            both.append([*at, 100e-6 + 2e-7 * repetition + (15e-6 if size < 1024 else -1e-7)])
    rows = {"pingpong": alone, "both_ways": both}
    return core([with_tables(record, *(table(name, COLUMNS[name], rows[name]) for name in rows))])["crossing"]


def test_messages_apart_say_what_crosses_what_answers_and_what_crowds() -> None:
    """Of 8 B a message takes 15 ns more right after another and an exchange 40; without the tables all of it crosses."""
    record = make_record(Truth(), rounds=5, outliers=0.0)
    rows: Rows = defaultdict(list)
    for repetition in range(5):
        for size in (8, 4096):
            at = [0, size, repetition]
            rows["pingpong"].append([*at, 100e-9 + 1e-12 * repetition])
            rows["both_ways"].append([*at, 170e-9 + 2e-12 * repetition])
        rows["pingpong_apart"].append([0, 8, repetition, 85e-9 + 1e-12 * repetition])
        rows["apart"].append([0, 8, repetition, 130e-9 + 3e-12 * repetition])

    def found(name: str) -> dict[int, float]:
        tables = (table(one, COLUMNS[one], rows[one]) for one in rows)
        return {fact["bytes"]: fact["value"] for fact in core([with_tables(record, *tables)]).get(name, [])}

    assert found("answering") == pytest.approx({8: 15e-9}, rel=0.01)
    assert found("crossing") == pytest.approx({8: 45e-9, 4096: 70e-9}, rel=0.01)
    assert found("crowding") == pytest.approx({8: 25e-9}, rel=0.01)
    rows["pingpong_apart"].clear()
    assert not found("answering")
    assert found("crossing")[8] == pytest.approx(30e-9, rel=0.01)
    rows["apart"].clear()
    assert not found("crowding")
    assert found("crossing")[8] == pytest.approx(70e-9, rel=0.01)


def test_one_disturbed_round_hides_no_crossing() -> None:
    for disturbed_s in (0.0, 80e-6):
        found = {entry["bytes"]: entry for entry in crossing_of(disturbed_s)}
        assert found[64]["value"] == pytest.approx(15e-6, rel=0.05)
        assert found[64]["low"] > 0.0


def test_sizes_beyond_the_eager_limit_say_nothing_of_those_below() -> None:
    last = crossing_of(0.0, eager_bytes=512)[-1]
    assert (last["bytes"], last["low"] > 0.0) == (1024, False)
    assert last["value"] == pytest.approx(0.0, abs=1e-6)


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


def with_windows(record: Record, messages: int = 64, gap_s: float = 0.9e-6) -> Record:
    """Windows of messages that follow each other by gap_s + 1 ns/B, and the ping-pongs of their answers."""
    pingpong = record.table("pingpong").rows
    single = {(size, repetition): seconds for _, size, repetition, seconds in pingpong}
    answers = [[0, 4, repetition, 2e-6] for repetition in {repetition for _, repetition in single}]
    rows = [
        [0, messages, size, repetition, seconds + (messages - 1) * (gap_s + size * 1e-9) + 2e-6]
        for (size, repetition), seconds in single.items()
    ]
    return with_tables(
        record,
        table("pingpong", COLUMNS["pingpong"], [*pingpong, *answers]),
        table("window", "pair messages bytes repetition seconds", rows),
    )


def test_a_message_of_a_window_takes_the_time_between_two() -> None:
    facts = distil.distil([with_windows(make_record(Truth()))])["network"]["core"]
    found = {entry["bytes"]: entry["value"] for entry in facts["window"]}
    assert found == pytest.approx({size: 0.9e-6 + size * 1e-9 for size in (0, 8, 1024)})
    assert "window" not in distil.distil([make_record(Truth())])["network"]["core"]


def test_posting_a_receive_takes_at_least_nothing() -> None:
    times = {8: (2e-8, 3e-8), 64: (-1e-9, -2e-9)}
    rows = [[0, size, repetition, *both] for size, both in times.items() for repetition in (0, 1)]
    record = with_tables(
        make_record(Truth()), table("posting", "pair bytes repetition seconds apart_s", rows)
    )
    facts = distil.distil([record])["network"]["core"]
    for name, seconds in (("posting", 2e-8), ("posting_apart", 3e-8)):
        assert [(entry["bytes"], entry["value"]) for entry in facts[name]] == [(8, seconds), (64, 0.0)]


def test_small_pages_cost_what_large_ones_save() -> None:
    record = make_record(Truth())
    rows = [
        [pair, size, repetition, seconds - saved_s_per_byte * size]
        for pair, size, repetition, seconds in record.table("pingpong").rows
        for of_size, saved_s_per_byte in ((1024, 0.5e-9), (65536, -0.1e-9))
        if size == of_size
    ]
    told = with_tables(record, table("large_pages", COLUMNS["pingpong"], rows))
    facts = distil.distil([told])["network"]["core"]["small_pages"]
    assert [(entry["bytes"], entry["unit"]) for entry in facts] == [(1024, "s/B"), (65536, "s/B")]
    assert [entry["value"] for entry in facts] == pytest.approx([0.5e-9, 0.0])
    assert "small_pages" not in distil.distil([record])["network"]["core"]


def test_packing_is_what_pieces_cost_on_one_side() -> None:
    record = make_record(Truth())
    plain = {(size, repetition): seconds for _, size, repetition, seconds in record.table("pingpong").rows}
    rows = [
        [0, size, piece, repetition, seconds + 2 * size * one_side_s]
        for (size, repetition), seconds in plain.items()
        for piece, one_side_s in ((8, 0.3e-9), (64, -0.1e-9))
        if size == 1024
    ]
    with_pieces = with_tables(record, table("in_pieces", "pair bytes piece_bytes repetition seconds", rows))
    packing = distil.distil([with_pieces])["network"]["core"]["packing"]
    assert [(entry["bytes"], entry["piece_bytes"], entry["unit"]) for entry in packing] == [
        (1024, 8, "s/B"),
        (1024, 64, "s/B"),
    ]
    assert [entry["value"] for entry in packing] == pytest.approx([0.3e-9, 0.0])  # never below nothing
    assert "packing" not in distil.distil([record])["network"]["core"]


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


def with_exchanges(
    name: str, longer_s: dict[tuple, float], clock_s: float = 0.0, keys: str = COLUMNS["apart"]
) -> dict:
    """Facts ``name`` of a record with exchanges apart of 1 us more or less by round, and such a table of exchanges that take longer:
    (bytes, then what else is a key) -> s."""
    record = make_record(Truth())
    apart_s = {
        (size, round_): 1e-6 + 2e-9 * round_ for size in {key[0] for key in longer_s} for round_ in range(7)
    }
    rows = [
        [0, size, *more, round_, seconds + clock_s + longer_s[size, *more]]
        for (size, *more) in longer_s
        for (of, round_), seconds in apart_s.items()
        if of == size
    ]
    apart = table("apart", COLUMNS["apart"], [[0, *key, seconds] for key, seconds in apart_s.items()])
    core = distil.distil([with_tables(record, apart, table(name, keys, rows))])["network"]["core"]
    assert all(one not in distil.distil([record])["network"]["core"] for one in ("after_work", "persistent"))
    return core


def test_what_an_exchange_takes_longer_after_work_is_the_difference_of_a_round() -> None:
    clock_s = float(np.median([seconds for _, seconds in make_record(Truth()).table("clock").rows]))
    core = with_exchanges(
        "worked_before",
        {(1024, 2e-6, 1 << 20): 0.1e-6, (1024, 32e-6, 1 << 22): 0.7e-6},
        clock_s,
        "pair bytes work_s memory_bytes repetition seconds",
    )
    facts = core["after_work"]
    assert [(entry["bytes"], entry["work_s"], entry["memory_bytes"]) for entry in facts] == [
        (1024, 2e-6, 1 << 20),
        (1024, 32e-6, 1 << 22),
    ]
    assert [entry["value"] for entry in facts] == pytest.approx([0.1e-6, 0.7e-6])


def test_what_an_exchange_takes_longer_after_work_goes_by_how_cold_that_left_caches() -> None:
    """By octaves, whatever work it was."""
    clock_s = float(np.median([seconds for _, seconds in make_record(Truth()).table("clock").rows]))
    work = [
        (2e-6, 1 << 20, 1e-9, 0.1e-6),
        (64e-6, 1 << 22, 60e-9, 0.7e-6),
        (128e-6, 1 << 21, 70e-9, 0.9e-6),
    ]
    core = with_exchanges(
        "worked_before",
        {(1024, work_s, memory, cold_s): longer_s for work_s, memory, cold_s, longer_s in work},
        clock_s,
        "pair bytes work_s memory_bytes cold_s repetition seconds",
    )
    assert [(entry["cold_s"], entry["value"]) for entry in core["after_cold"]] == [
        (4e-9, pytest.approx(0.1e-6)),
        (64e-9, pytest.approx(0.8e-6)),
    ]


def test_what_an_exchange_takes_longer_of_persistent_requests_is_the_difference_of_a_round() -> None:
    facts = with_exchanges("persistent", {(8,): 0.2e-6, (4096,): -0.1e-6})["persistent"]
    assert [(entry["bytes"], entry["value"]) for entry in facts] == [
        (8, pytest.approx(0.2e-6)),
        (4096, pytest.approx(-0.1e-6)),
    ]


def test_what_messages_keep_of_processors_that_serve_the_network() -> None:
    def served(name: str, seconds: dict[tuple[float, int], float]):
        rows = [
            [0, 8, work_s, repetition, 1.1 * work_s, one] for (work_s, repetition), one in seconds.items()
        ]
        return table(name, "pair bytes about_s repetition work_s seconds", rows)

    rounds = range(7)
    row = {(work_s, at): 1.1 * work_s + 5e-5 + at * 1e-6 for work_s in (2e-6, 128e-6) for at in rounds}
    lagged = {(128e-6, at): 1.1 * 128e-6 + 5.7e-5 + at * 1e-6 for at in rounds}
    record = with_tables(make_record(Truth()), served("row", row), served("lagged", lagged))
    core = distil.distil([record])["network"]["core"]
    assert [(one["bytes"], one["work_s"]) for one in core["sending"]] == [(8, 2e-6), (8, 128e-6)]
    assert [one["value"] for one in core["sending"]] == pytest.approx([5.3e-5, 5.3e-5])
    assert [(one["bytes"], one["value"]) for one in core["receiving"]] == [(8, pytest.approx(7e-6))], (
        "of the same round"
    )
    quicker = dict.fromkeys(lagged, 1e-6)
    core = distil.distil([with_tables(record, served("lagged", quicker))])["network"]["core"]
    assert core["receiving"][0]["value"] == 0.0
    assert "sending" not in distil.distil([make_record(Truth())])["network"]["core"]


def test_what_computing_takes_longer_after_waiting_is_a_difference_of_a_round() -> None:
    rows = [
        [
            0,
            memory,
            about_s,
            repetition,
            waited_s,
            warm_s + repetition * 1e-6,
            warm_s + repetition * 1e-6 + longer_s,
        ]
        for repetition in range(7)
        for memory, warm_s in ((1 << 20, 2e-5), (1 << 22, 1.4e-4))
        for about_s, waited_s, longer_s in ((0.0, 2e-3, 1e-6), (1e-3, 2e-3, 5e-6), (8e-3, 9e-3, 2e-5))
    ]
    columns = "pair memory_bytes about_s repetition waited_s warm_s seconds"
    record = with_tables(make_record(Truth()), table("refill", columns, rows))
    facts = distil.distil([record])["network"]["core"]["refilling"]
    assert [(one["memory_bytes"], one["waited_s"]) for one in facts] == [
        (memory, waited_s) for memory in (1 << 20, 1 << 22) for waited_s in (2e-3, 9e-3)
    ], "one exchange took longer than the second waiting"
    assert [one["value"] for one in facts] == pytest.approx(2 * [1e-6, 2e-5])
    assert [one["sweep_s"] for one in facts] == pytest.approx(2 * [2.3e-5] + 2 * [1.43e-4])


def test_memory_that_is_new_takes_longer_than_in_its_third_and_fourth_use() -> None:
    record = make_record(Truth())
    rows = [
        [0, 1 << 22, use, repetition, (1 << 22) * (1e-10 + longer)]
        for repetition in range(7)
        for use, longer in ((1, 2e-11), (2, 6e-11), (3, -1e-12), (4, 1e-12))
    ]
    fresh = with_tables(record, table("fresh", "pair bytes use repetition seconds", rows))
    facts = distil.distil([fresh])["network"]["core"]["first_uses"]
    assert [entry["use"] for entry in facts] == [1, 2]
    assert [entry["value"] for entry in facts] == pytest.approx([2e-11, 6e-11])
    assert "first_uses" not in distil.distil([record])["network"]["core"]


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
