"""The level finder on synthetic staircases with known truth, and distil on made-up records."""

import json
import math
import random
from pathlib import Path

import msgspec
import pytest

from hakaru.base.files import load_module
from hakaru.facts.records import Cache
from hakaru.facts.records.fixtures import ENVIRONMENT, probed, table

FOLDER = Path(__file__).parent


distil = load_module(FOLDER / "distil.py")

KIB, MIB = 1024.0, 1048576.0
TWO = ([32 * KIB], [1.2, 80.0])
THREE = ([32 * KIB, 4 * MIB], [1.2, 8.0, 95.0])
FOUR = ([32 * KIB, 512 * KIB, 16 * MIB], [1.25, 3.8, 13.0, 90.0])
INTEL = ([48 * KIB, 1.25 * MIB, 24 * MIB], [1.65, 5.3, 34.0, 120.0])


def grid(points_per_octave=4, smallest=4 * KIB, largest=128 * MIB):
    count = round(math.log2(largest / smallest) * points_per_octave)
    return [smallest * 2 ** (i / points_per_octave) for i in range(count + 1)]


def latency(size, edges, heights, softness):
    """Mean over hits and misses; beyond an edge all miss within ``softness`` octaves (0: at once)."""
    value = heights[0]
    for edge, above in zip(edges, heights[1:], strict=True):
        if size > edge * 1.0001:
            share = 1.0 if softness == 0 else min(1.0, math.log2(size / edge) / softness)
            value += share * (above - value)
    return value


def staircase(edges, heights, seed=0, noise=0.03, outliers=0.0, softness=0.0, points_per_octave=4, drift=0.0):
    """(sizes, latencies in s): multiplicative noise, outliers up to 3 x, a rise of ``drift`` an octave."""
    source = random.Random(seed)
    sizes = grid(points_per_octave)
    values = []
    for size in sizes:
        value = latency(size, edges, heights, softness) * math.exp(source.gauss(0.0, noise))
        value *= 2 ** (drift * math.log2(size / sizes[0]))
        if source.random() < outliers:
            value *= source.uniform(1.5, 3.0)
        values.append(value * 1e-9)
    return sizes, values


def assert_found(levels, edges, heights, octaves=0.3, tolerance=0.1):
    assert len(levels) == len(heights)
    for level, edge in zip(levels, edges, strict=False):
        assert abs(math.log2(level.capacity / edge)) <= octaves, (level.capacity, edge)
        assert level.low <= level.capacity < level.high
    for level, height in zip(levels, heights, strict=True):
        assert level.latency == pytest.approx(height * 1e-9, rel=tolerance)
    assert levels[-1].capacity is None


@pytest.mark.parametrize("edges, heights", [TWO, THREE, FOUR, INTEL], ids=["2", "3", "4", "4 wide"])
@pytest.mark.parametrize("noise", [0.0, 0.03, 0.08])
@pytest.mark.parametrize("seed", range(8))
def test_sharp_staircases(edges, heights, noise, seed):
    assert_found(distil.find_levels(*staircase(edges, heights, seed, noise)), edges, heights)


@pytest.mark.parametrize("edges, heights", [TWO, THREE, FOUR, INTEL], ids=["2", "3", "4", "4 wide"])
@pytest.mark.parametrize("seed", range(8))
def test_rounded_steps_and_outliers(edges, heights, seed):
    curve = staircase(edges, heights, seed, 0.03, outliers=0.06, softness=0.9)
    assert_found(distil.find_levels(*curve), edges, heights, octaves=0.7, tolerance=0.15)


@pytest.mark.parametrize("seed", range(8))
def test_coarse_grid(seed):
    curve = staircase(*FOUR, seed, 0.03, points_per_octave=2)
    assert_found(distil.find_levels(*curve), *FOUR, octaves=0.5)


@pytest.mark.parametrize("seed", range(8))
def test_a_slow_rise_is_no_level(seed):
    levels = distil.find_levels(*staircase(*FOUR, seed, 0.03, drift=0.03))
    assert len(levels) == 4


@pytest.mark.parametrize("seed", range(20))
def test_a_flat_noisy_curve_has_one_level(seed):
    levels = distil.find_levels(*staircase([], [5.0], seed, 0.08, outliers=0.05))
    assert len(levels) == 1 and levels[0].capacity is None


def test_a_missing_level_is_not_invented():
    """A reported cache makes no step of its own: three plateaus, and the others keep their names."""
    sizes, values = staircase([32 * KIB, 16 * MIB], [1.25, 13.0, 90.0], 3)
    levels = distil.name_levels(distil.find_levels(sizes, values), CACHES, sizes[-1])
    assert [level.name for level in levels] == ["L1", "L3", "memory"]


def test_too_few_points_give_nothing():
    assert distil.find_levels([4096.0, 8192.0], [1e-9, 1e-9]) == []


CACHES = [
    Cache(1, "Data", 32768, 1),
    Cache(2, "Unified", 524288, 1),
    Cache(3, "Unified", 33554432, 2),
]


@pytest.mark.parametrize(
    "seen, reported, expected",
    [
        ([33e3, 4e5, 6e6], [32768, 524288, 33554432], [0, 1, 2]),
        ([33e3, 6e6], [32768, 524288, 33554432], [0, 2]),
        ([33e3, 5e5, 3e6, 33e6], [32768, 524288, 33554432], [0, 1, None, 2]),
        ([33e3], [], [None]),
        ([1e9], [32768], [None]),
        # a guest that gets a 25th of its host's cache, as seen: memory beyond 19 MiB where 480 MiB are reported
        ([49e3, 1.8e6, 19.9e6], [49152, 2097152, 503316480], [0, 1, 2]),
    ],
)
def test_matching_with_what_the_kernel_reports(seen, reported, expected):
    assert distil.match(seen, [float(value) for value in reported]) == expected


def test_names_without_reported_caches_follow_the_order():
    sizes, values = staircase(*FOUR)
    names = [level.name for level in distil.name_levels(distil.find_levels(sizes, values), [], sizes[-1])]
    assert names == ["L1", "L2", "L3", "memory"]


def test_working_sets_that_end_inside_a_cache_do_not_reach_memory():
    sizes, values = staircase(*FOUR)
    inside = [size for size in sizes if size <= 8 * MIB]
    levels = distil.name_levels(distil.find_levels(inside, values[: len(inside)]), CACHES, inside[-1])
    assert [level.name for level in levels] == ["L1", "L2", "L3"]
    assert levels[-1].capacity is None


def environment():
    return ENVIRONMENT | {"caches": [msgspec.to_builtins(cache) for cache in CACHES]}


def record(identifier, curve, seed=0):
    source = random.Random(seed)
    rows = []
    for size, value in zip(*curve, strict=True):
        for repetition in range(1, 6):
            noisy = value * math.exp(source.gauss(0.0, 0.01))
            rows.append(["random_local", "huge", 64, size, 1, repetition, 1024, noisy])
            rows.append(["sequential", "huge", 64, size, 1, repetition, 1024, 1e-9])
            rows.append(["random_local", "base", 64, size, 1, repetition, 1024, 5 * noisy])
            rows.append(["random_local", "huge", 512, size, 1, repetition, 1024, 7 * noisy])
    columns = "pattern pages stride_bytes working_set_bytes round repetition loads latency_s"
    return probed(identifier, table("latency", columns, rows), environment=environment())


def test_distil_reports_what_was_seen_beside_what_the_kernel_says():
    edges, heights = [32 * KIB, 512 * KIB, 6 * MIB], FOUR[1]
    tree = distil.distil(
        [record("a", staircase(edges, heights, 1)), record("b", staircase(edges, heights, 2))]
    )
    levels = {level["name"]: level for level in tree["memory"]["levels"]}
    assert list(levels) == ["L1", "L2", "L3", "memory"]
    assert levels["L3"]["capacity"]["value"] == pytest.approx(6 * MIB, rel=0.2)
    assert levels["L3"]["capacity_reported"]["value"] == 32 * MIB
    assert levels["L3"]["latency"]["value"] == pytest.approx(13e-9, rel=0.05)
    assert "capacity" not in levels["memory"] and "levels_not_seen" not in tree["memory"]
    for level in levels.values():
        for name in ("capacity", "latency"):
            if name in level:
                entry = level[name]
                assert entry["low"] <= entry["value"] <= entry["high"]
                assert "a" in entry["source"] and "b" in entry["source"]


def test_distil_names_reported_levels_that_were_not_seen():
    tree = distil.distil([record("a", staircase([32 * KIB, 16 * MIB], [1.25, 13.0, 90.0], 3))])
    assert [level["name"] for level in tree["memory"]["levels"]] == ["L1", "L3", "memory"]
    assert [entry["level"] for entry in tree["memory"]["levels_not_seen"]] == ["L2"]


def test_a_level_that_one_record_of_three_shows_is_left_out():
    usual = staircase(*FOUR, 1)
    odd = staircase([32 * KIB, 512 * KIB, 4 * MIB, 40 * MIB], [1.25, 3.8, 13.0, 40.0, 90.0], 2)
    tree = distil.distil([record("a", usual), record("b", usual), record("c", odd)])
    assert [level["name"] for level in tree["memory"]["levels"]] == ["L1", "L2", "L3", "memory"]


def test_no_usable_table_gives_nothing():
    assert distil.distil([probed("a", environment=environment())]) == {}
    assert distil.distil([]) == {}


def test_the_tree_is_a_valid_part_of_a_machine_file():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((FOLDER.parents[1] / "schema" / "machine.schema.json").read_text())
    tree = distil.distil([record("a", staircase([32 * KIB, 16 * MIB], [1.25, 13.0, 90.0], 3))])
    machine = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026-11-21", **tree}
    jsonschema.validate(machine, schema)
