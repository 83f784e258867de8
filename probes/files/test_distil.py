"""Facts from synthetic records of the probe ``files``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import Machine, validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

MEGA = 10**6
FACTOR = {"independent": 1.0, "collective": 0.8, "split": 1.2}


def record(identity="f1", reach="local", ranks=2, resident=0.0) -> Record:
    """100 MB/s to the device and 10 GB/s into the cache; 200 MB/s from the device; 3 ms for an operation."""
    writes, reads = [], []
    for way, factor in FACTOR.items():
        for size in (100 * MEGA, 4096 * ranks):
            rate = 1e8 * factor
            for sample in range(5):
                synced = 3e-3 if size < MEGA else size / rate
                writes.append([way, 1, ranks, size, sample, size / 1e10, synced])
                reads.append([way, 1, ranks, size, sample, "cache", 1.0, size / 1e10])
                reads.append([way, 1, ranks, size, sample, "device", resident, size / (2 * rate)])
    metadata = [[name, ranks, sample, 1e-5] for name in ("create", "stat", "delete") for sample in range(3)]
    return probed(
        identity,
        table("places", "folder file_system reach", [["/scratch", "ext4", reach]]),
        table("writes", "way blocks ranks bytes sample cached synced", writes),
        table("reads", "way blocks ranks bytes sample from resident seconds", reads),
        table("metadata", "operation ranks sample seconds", metadata),
        ranks=ranks,
    )


def test_rates_are_those_of_the_device():
    found = distiller.distil([record()])["storage"]["local"]
    assert found["write_bandwidth"]["value"] == pytest.approx(1e8)
    assert found["read_bandwidth"]["value"] == pytest.approx(2e8)
    assert found["operation"]["value"] == pytest.approx(3e-3)
    assert found["create"]["value"] == pytest.approx(1e-5)
    assert "ext4" in found["write_bandwidth"]["note"]


def test_the_page_cache_never_counts_as_a_disk():
    found = distiller.distil([record(resident=0.5)])["storage"]["local"]
    assert "read_bandwidth" not in found and "read_by_way" not in found
    assert distiller.distil([record(reach="memory")]) == {}


def test_ways_stand_beside_each_other():
    found = distiller.distil([record()])["storage"]["local"]["write_by_way"]
    rates = {entry["way"]: entry["value"] for entry in found}
    assert rates == pytest.approx({way: 1e8 * factor for way, factor in FACTOR.items()})


def test_arrays_of_libraries_stand_beside_the_others_and_do_not_speak_for_the_file_system():
    rows = [["HDF5, collective", 1, 2, 100 * MEGA, sample, 0.1, 4.0] for sample in range(5)]
    own = table("writes", "way blocks ranks bytes sample cached synced", rows)
    alone = probed(
        "f1", table("places", "folder file_system reach", [["/scratch", "ext4", "local"]]), own, ranks=2
    )
    found = distiller.distil([alone])["storage"]["local"]
    assert [(entry["way"], entry["value"]) for entry in found["write_by_way"]] == [
        ("HDF5, collective", 2.5e7)
    ]
    assert "write_bandwidth" not in found


def test_local_and_shared_file_systems_are_told_apart():
    found = distiller.distil([record(), record("f2", "shared")])["storage"]
    assert set(found) == {"local", "shared"} and "f2" not in found["local"]["operation"]["source"]


def test_the_most_ranks_speak():
    found = distiller.distil([record(), record("f2", ranks=4)])["storage"]["local"]
    assert found["write_bandwidth"]["samples"] == 5


def test_nothing_usable_gives_no_facts():
    assert distiller.distil([]) == {}
    assert distiller.distil([changed(record(), status="failed")]) == {}


def test_a_replay_finds_what_it_prices_files_with():
    machine = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    tree = machine | distiller.distil([record()])
    validate(tree)
    here = Machine.of(tree)
    for name in ("write_bandwidth", "read_bandwidth", "operation"):
        assert here.find(f"storage.local.{name}") is not None
