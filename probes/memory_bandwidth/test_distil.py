"""distil on made-up records whose rates are known."""

import json
from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.records.fixtures import ENVIRONMENT, probed, table

FOLDER = Path(__file__).parent


distil = load_module(FOLDER / "distil.py")

MIB = 1048576
CACHES = [
    {"level": 1, "type": "Data", "bytes": 32768, "shared_by": 1},
    {"level": 2, "type": "Unified", "bytes": 524288, "shared_by": 1},
    {"level": 3, "type": "Unified", "bytes": 33554432, "shared_by": 2},
]
MEMORY_RATE = {1: 20e9, 2: 30e9}
LEVEL_RATE = {"L1": 200e9, "L2": 100e9, "L3": 70e9, "memory": 20e9}


def stream_rows(bytes_per_array, slower=1.0):
    """Repetition k is k % slower than the rate."""
    rows = []
    for kernel, (moved, _) in distil.BYTES.items():
        for cores, rate in MEMORY_RATE.items():
            for repetition in range(1, 11):
                seconds = moved * bytes_per_array / 8 / rate * slower * (1 + 0.01 * (repetition - 1))
                rows.append([kernel, cores, bytes_per_array, 1, repetition, seconds])
    return rows


def level_of(working_set, cores):
    if working_set <= 32768:
        return "L1"
    if working_set <= 524288:
        return "L2"
    return "L3" if working_set * cores <= 33554432 else "memory"


def sweep_rows():
    rows = []
    for cores in MEMORY_RATE:
        for exponent in range(13, 27):
            bytes_per_array = 2**exponent // 24 * 8
            seconds = 3 * bytes_per_array / LEVEL_RATE[level_of(2**exponent, cores)]
            rows += [
                ["triad", cores, bytes_per_array, 1, repetition, 10, seconds] for repetition in (1, 2, 3)
            ]
    return rows


def record(identifier="a", bytes_per_array=128 * MIB, capped="no", caches=CACHES, slower=1.0, more=()):
    conditions = "bytes_per_array bytes_per_array_by_rule capped"
    return probed(
        identifier,
        table(
            "stream",
            "kernel cores bytes_per_array round repetition seconds",
            stream_rows(bytes_per_array, slower),
        ),
        table("sweep", "kernel cores bytes_per_array round repetition passes seconds", sweep_rows()),
        table("conditions", conditions, [[bytes_per_array, 128 * MIB, capped]]),
        *more,
        environment=ENVIRONMENT | {"caches": caches},
    )


def find(facts, **keys):
    return next(entry for entry in facts if all(entry[name] == value for name, value in keys.items()))


def test_the_curve_over_working_sets():
    facts = distil.distil([record()])["memory"]["working_sets"]
    assert {fact["cores"] for fact in facts} == set(MEMORY_RATE)
    swept = [fact for fact in facts if fact["bytes"] <= 2**26]
    for fact in swept:  # STREAM counts three of the sweep's three arrays
        assert fact["value"] == pytest.approx(
            fact["cores"] * LEVEL_RATE[level_of(fact["bytes"], fact["cores"])]
        )
    assert len(swept) == 2 * 14


def test_the_curve_ends_with_what_memory_gives():
    facts = distil.distil([record()])["memory"]["working_sets"]
    for cores, rate in MEMORY_RATE.items():
        end = max((fact for fact in facts if fact["cores"] == cores), key=lambda fact: fact["bytes"])
        assert end["bytes"] == 3 * 128 * MIB / cores
        assert end["value"] == pytest.approx(rate / 1.045, rel=1e-3)
    small = distil.distil([record(bytes_per_array=MIB)])["memory"]["working_sets"]
    assert max(fact["bytes"] for fact in small) < 2**26, "arrays inside of the sweep add nothing"


def test_rates_in_both_conventions():
    memory = distil.distil([record()])["memory"]
    assert len(memory["bandwidth"]) == len(memory["bandwidth_write_allocate"]) == 12
    for kernel, (moved, with_allocate) in distil.BYTES.items():
        for cores, rate in MEMORY_RATE.items():
            plain = find(memory["bandwidth"], kernel=kernel, cores=cores)
            allocate = find(memory["bandwidth_write_allocate"], kernel=kernel, cores=cores)
            assert plain["best"] == pytest.approx(rate)
            assert plain["value"] == pytest.approx(rate / 1.045, rel=1e-3)
            assert plain["low"] < plain["value"] < plain["high"]
            assert allocate["value"] == pytest.approx(plain["value"] * with_allocate / moved)
            assert plain["unit"] == "B/s" and plain["source"] == "probe a"


def test_bandwidth_of_each_level():
    levels = {level["name"]: level["bandwidth"] for level in distil.distil([record()])["memory"]["levels"]}
    assert list(levels) == ["L1", "L2", "L3", "memory"]
    for name in ("L1", "L2", "L3"):
        for cores in MEMORY_RATE:
            assert find(levels[name], cores=cores)["value"] == pytest.approx(cores * LEVEL_RATE[name])
    assert find(levels["memory"], cores=2)["best"] == pytest.approx(MEMORY_RATE[2])


def test_capped_records_say_so_and_give_way_to_those_by_the_rule():
    small = record("small", 32 * MIB, "capped at 32 MiB", slower=0.5)
    alone = distil.distil([small])["memory"]["bandwidth"]
    assert all(entry["note"] == "capped at 32 MiB" for entry in alone)
    both = distil.distil([small, record("full")])["memory"]["bandwidth"]
    assert all("note" not in entry and entry["source"] == "probe full" for entry in both)


def test_samples_of_several_records_are_pooled():
    entry = find(
        distil.distil([record("a"), record("b", slower=1.2)])["memory"]["bandwidth"], kernel="copy", cores=1
    )
    assert entry["samples"] == 20 and "a" in entry["source"] and "b" in entry["source"]
    assert entry["low"] < MEMORY_RATE[1] / 1.15 and entry["high"] > MEMORY_RATE[1] / 1.1


def test_loads_by_index_have_a_curve_of_their_own():
    rows = [[2, 32, 65536.0, 1, run, 10, 1e-5] for run in (1, 2, 3)] + [[2, 128, 65536.0, 1, 1, 5, 4e-5]]
    indexed = table("indexed", "cores row_elements working_set_bytes round repetition passes seconds", rows)
    facts = distil.distil([record(more=(indexed,))])["memory"]["indexed_sets"]
    assert [(fact["cores"], fact["row"], fact["bytes"], fact["value"]) for fact in facts] == [
        (2, 32, 65536.0, pytest.approx(2 * 65536 / 1e-5)),
        (2, 128, 65536.0, pytest.approx(2 * 65536 / 4e-5)),
    ]
    before = table(
        "indexed", "cores working_set_bytes round repetition passes seconds", [[2, 65536.0, 1, 1, 5, 4e-5]]
    )
    assert distil.distil([record("before", more=(before,))])["memory"]["indexed_sets"][0]["row"] == 128
    assert "indexed_sets" not in distil.distil([record()])["memory"]


def test_working_sets_inside_a_level():
    sizes = [2.0**exponent for exponent in range(13, 27)]
    assert distil.inside(sizes, 0.0, 32768.0) == [8192.0, 16384.0]
    assert distil.inside(sizes, 32768.0, 524288.0) == [65536.0, 131072.0, 262144.0]
    assert distil.inside(sizes, 524288.0, 1.5 * MIB) == [MIB]
    assert distil.inside(sizes, 524288.0, 600000.0) == []


def test_without_reported_caches_there_are_no_levels():
    assert "levels" not in distil.distil([record(caches=[])])["memory"]


def test_no_usable_table_gives_nothing():
    assert distil.distil([]) == {}
    assert distil.distil([probed("a", environment=ENVIRONMENT | {"caches": CACHES})]) == {}


def test_the_tree_is_a_valid_part_of_a_machine_file():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((FOLDER.parents[1] / "schema" / "machine.schema.json").read_text())
    for capped in ("no", "capped at 32 MiB"):
        tree = distil.distil([record(capped=capped)])
        machine = {
            "schema": "hakaru/machine/1",
            "name": "m",
            "kind": "measured",
            "date": "2026-11-21",
            **tree,
        }
        jsonschema.validate(machine, schema)
