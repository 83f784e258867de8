"""Facts out of synthetic records whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, layout, probed, table, with_tables, without_rows

distil = load_module(Path(__file__).with_name("distil.py"))

LATENCY_S, PER_BYTE_S = 2e-7, 1e-10
SIZES = (8, 512, 65536)


def make_record(identity: str = "r1", level: str = "core", slower: float = 1.0, rounds: int = 9) -> Record:
    transfers, overlap = [], []
    for repetition in range(rounds):
        noise = 1.0 + 0.01 * (repetition - rounds // 2)
        for size in SIZES:
            seconds = slower * noise * (LATENCY_S + PER_BYTE_S * size)
            transfers += [[kind, size, repetition, seconds] for kind in ("put", "flagged_put", "mpi_put")]
            overlap.append(["put", size, repetition, seconds, seconds, 1.25 * seconds])
    return probed(
        identity,
        table("pairs", "level host_a host_b", [[level, "a", "b"]]),
        table("transfers", "kind bytes repetition seconds", transfers),
        table("overlap", "kind bytes repetition alone_s compute_s together_s", overlap),
        ranks=2,
    )


def test_finds_latency_transfers_and_overlap() -> None:
    facts = distil.distil([make_record()])["network"]["core"]
    assert facts["put_latency"]["value"] == pytest.approx(LATENCY_S + 8 * PER_BYTE_S)
    assert [entry["bytes"] for entry in facts["put"]] == list(SIZES)
    assert facts["put"][2]["value"] == pytest.approx(LATENCY_S + 65536 * PER_BYTE_S)
    assert facts["put"][2]["low"] < facts["put"][2]["value"] < facts["put"][2]["high"]
    assert facts["put_overlap"][0]["value"] == pytest.approx(0.75)
    assert "mpi_put" not in facts, "the library's own operations are no facts of ours"


def test_a_slower_network_gives_other_facts() -> None:
    ours, slower = (distil.distil([make_record(slower=s)])["network"]["core"] for s in (1.0, 2.0))
    assert slower["put_latency"]["value"] == pytest.approx(2.0 * ours["put_latency"]["value"])


def test_levels_are_kept_apart_and_the_tree_is_a_valid_machine() -> None:
    network = distil.distil([make_record(), make_record("r2", "node", 10.0)])["network"]
    assert network["node"]["put_latency"]["value"] > 5 * network["core"]["put_latency"]["value"]
    machine = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026-11-21"}
    validate(machine | {"network": network})


def test_many_launches_count_once_each() -> None:
    records = [make_record(f"r{index}") for index in range(6)]
    assert distil.distil(records)["network"]["core"]["put_latency"]["samples"] == 6
    assert distil.distil(records[:2])["network"]["core"]["put_latency"]["samples"] == 18


@pytest.mark.parametrize(
    ("alone", "work", "both", "share"), [(1, 1, 2, 0), (1, 1, 1, 1), (2, 1, 2, 1), (1, 1, 3, 0)]
)
def test_overlap_is_the_part_that_is_hidden(alone, work, both, share) -> None:
    assert distil.overlap_attained(alone, work, both) == share


@pytest.mark.parametrize(
    "fields",
    [
        {"layout": layout(2, 1, oversubscribed=True)},
        {"status": "failed"},
        {"command": "verify"},
        {"layout": layout(1, 1)},
    ],
)
def test_leaves_out_records_that_say_nothing(fields) -> None:
    assert distil.distil([changed(make_record(), **fields)]) == {}


def test_leaves_out_records_without_a_pair() -> None:
    assert distil.distil([without_rows(make_record(), "pairs")]) == {}


def with_mpi(record: Record, rounds: int = 9) -> Record:
    """Operations whose call takes 1 us, 2 us to new data and 4 us apart, that follow each other by 3 us, and are complete 5 us after the
    call; a flush takes 0.5 us, a flag 3 us."""
    call_s, gap_s, done_s, flush_s = 1e-6, 3e-6, 5e-6, 5e-7
    single_s = call_s + done_s + flush_s
    accesses = [
        [
            "created",
            access,
            size,
            repetition,
            call_s,
            single_s,
            single_s + (distil.TRAIN - 1) * gap_s,
            2e-6,
            4e-6,
        ]
        for access in ("put", "get", "accumulate")
        for size in SIZES
        for repetition in range(rounds)
    ]
    flagged = [[size, repetition, 2e-6, 5e-6] for size in SIZES for repetition in range(rounds)]
    in_items = [[512, 64, repetition, 4e-6] for repetition in range(rounds)]
    in_items += [[65536, 512, repetition, 1e-6] for repetition in range(rounds)]
    epochs = [
        ["created", epoch, repetition, seconds]
        for epoch, seconds in (("fence", 9e-6), ("flush", flush_s))
        for repetition in range(rounds)
    ]
    return with_tables(
        record,
        table("accesses", "window access bytes repetition call_s single_s train_s new_s apart_s", accesses),
        table("epochs", "window epoch repetition seconds", epochs),
        table("new_puts", "bytes repetition plain_s flagged_s", flagged),
        table("new_puts_in_items", "bytes item_bytes repetition seconds", in_items),
    )


def test_parts_of_mpis_own_operations() -> None:
    facts = distil.distil([with_mpi(make_record())])["network"]["core"]
    found = {
        entry["part"]: entry["value"]
        for entry in facts["access"]
        if (entry["window"], entry["access"], entry["bytes"]) == ("created", "get", 512)
    }
    assert found == pytest.approx({"call": 1e-6, "gap": 3e-6, "done": 5e-6, "new": 1e-6, "apart": 3e-6})
    assert {entry["epoch"]: entry["value"] for entry in facts["epoch"]} == pytest.approx(
        {"fence": 9e-6, "flush": 5e-7}
    )
    flags = {entry["bytes"]: entry["value"] for entry in facts["access"] if entry["part"] == "flag"}
    assert flags == pytest.approx(dict.fromkeys(SIZES, 3e-6)), "of allocated windows"
    pieces = {(entry["bytes"], entry["piece_bytes"]): entry["value"] for entry in facts["put_pieces"]}
    assert pieces == {(512, 64): pytest.approx(2e-6 / 512), (65536, 512): 0.0}, "not below zero"
    machine = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026-11-22"}
    validate(machine | {"network": {"core": facts}})
    assert "access" not in distil.distil([make_record()])["network"]["core"]
