"""Facts from synthetic records of the probe ``sharing``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

MEBI = 2**20


def curve(threads: int, size: int) -> float:
    """A cache of 16 MiB that threads divide equally: 10 ns inside, 100 ns beyond."""
    return 1e-8 if size * threads <= 16 * MEBI else 1e-7


def record(identity="s1") -> Record:
    lines = [[0, 1, "L3", i, 2e-8] for i in range(3)] + [[0, 2, "machine", i, 2e-7] for i in range(3)]
    false = [[2, padding, i, 1e-8 if padding < 64 else 1e-9] for padding in (8, 64) for i in range(3)]
    atomics = [["add", who, 2, i, 4e-8 if who == "yes" else 5e-9] for who in ("yes", "no") for i in range(3)]
    locks = [["spin", 2, i, 6e-8] for i in range(3)]
    copies = [
        ["stencil", copies, MEBI, copy, i, 1e-3 * copies]
        for copies in (1, 2, 4)
        for copy in range(copies)
        for i in range(3)
    ]
    capacity = [
        [threads, size * MEBI, i, curve(threads, size * MEBI)]
        for threads in (1, 2)
        for size in (1, 2, 4, 8, 16, 32)
        for i in range(3)
    ]
    placed = [
        [0, 0, node, "DRAM", "bind", node, 1.0, MEBI, i, 1e-7 * (node + 1), 1e-4 * (node + 1)]
        for node in (0, 1)
        for i in range(3)
    ] + [[0, 0, -1, "DRAM", "interleaved", 0, 0.5, MEBI, i, 1.5e-7, 1.5e-4] for i in range(3)]
    return probed(
        identity,
        table("lines", "first second shares sample seconds", lines),
        table("false_sharing", "threads padding sample seconds", false),
        table("atomics", "operation contended threads sample seconds", atomics),
        table("locks", "lock threads sample seconds", locks),
        table("copies", "program copies bytes copy sample seconds", copies),
        table("capacity", "threads bytes sample seconds", capacity),
        table(
            "placement",
            "processor own_node node kind policy seen_node share bytes sample latency read",
            placed,
        ),
    )


def one(facts, **about):
    return next(fact for fact in facts if all(fact.get(key) == value for key, value in about.items()))[
        "value"
    ]


def test_lines_counters_and_locks_are_recovered():
    found = distiller.distil([record()])["memory"]["sharing"]
    assert one(found["line"], shares="L3") == 2e-8 and one(found["line"], shares="machine") == 2e-7
    assert one(found["false_sharing"], padding=8) == 1e-8
    assert one(found["atomic"], contended="yes", threads=2) == 4e-8
    assert one(found["lock"], lock="spin") == 6e-8


def test_copies_are_told_as_what_they_slow_each_other():
    found = distiller.distil([record()])["memory"]["sharing"]["copies"]
    assert one(found, copies=2) == pytest.approx(2.0) and one(found, copies=4) == pytest.approx(4.0)


def test_threads_get_their_part_of_a_shared_cache():
    found = distiller.distil([record()])["memory"]["sharing"]["capacity"]
    assert one(found, threads=1) == 16 * MEBI and one(found, threads=2) == 8 * MEBI


def test_no_capacity_where_the_latency_stays():
    assert distiller.seen_capacity({MEBI: 1e-8, 2 * MEBI: 1.2e-8}) is None


def test_placement_is_by_node_and_by_policy():
    found = distiller.distil([record()])["memory"]["placement"]
    assert one(found["latency"], node=1) == pytest.approx(2e-7)
    assert one(found["bandwidth"], node=0, policy="bind") == pytest.approx(MEBI / 1e-4)
    assert one(found["latency"], policy="interleaved") == pytest.approx(1.5e-7)


def test_nothing_usable_gives_no_facts():
    assert distiller.distil([]) == {}
    assert distiller.distil([changed(record(), status="failed")]) == {}


def test_facts_fit_into_a_machine_file():
    machine = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    validate(machine | distiller.distil([record()]))
