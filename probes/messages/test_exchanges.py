"""Facts of messages beside something else, out of synthetic records whose truth is known."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from hakaru.base.files import load_module
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import table, with_tables, without_rows

of_distil = load_module(Path(__file__).with_name("test_distil.py"))
distil, COLUMNS, Rows, Truth = of_distil.distil, of_distil.COLUMNS, of_distil.Rows, of_distil.Truth
core, make_record = of_distil.core, of_distil.make_record


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
        for of_size, saved_s_per_byte in ((8, -0.1e-9), (1024, 0.5e-9))
        if size == of_size
    ]
    told = with_tables(record, table("large_pages", COLUMNS["pingpong"], rows))
    facts = distil.distil([told])["network"]["core"]["small_pages"]
    assert [(entry["bytes"], entry["unit"]) for entry in facts] == [(8, "s/B"), (1024, "s/B")]
    assert [entry["value"] for entry in facts] == pytest.approx([0.0, 0.5e-9])
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


def test_memory_that_is_new_takes_longer_than_in_its_last_two_uses() -> None:
    record = make_record(Truth())
    rows = [
        [0, size, use, repetition, size * (1e-10 + longer)]
        for repetition in range(7)
        for size in (1 << 18, 1 << 22)
        for use, longer in ((1, 2e-11), (2, 6e-11), (3, -1e-12), (4, 1e-12))
    ]
    fresh = with_tables(record, table("fresh", "pair bytes use repetition seconds", rows))
    facts = distil.distil([fresh])["network"]["core"]["first_uses"]
    assert [(entry["bytes"], entry["use"]) for entry in facts] == [
        (size, use) for size in (1 << 18, 1 << 22) for use in (1, 2)
    ]
    assert [entry["value"] for entry in facts] == pytest.approx(2 * [2e-11, 6e-11])
    assert "first_uses" not in distil.distil([record])["network"]["core"]
