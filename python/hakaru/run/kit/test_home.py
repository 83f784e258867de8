"""Results of a kit that come home whole, twice, truncated, from another version, or with a rank missing."""

import json
import os

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import changed, record
from hakaru.facts.traces.layout import VERSION
from hakaru.run.kit.collect import collect, newest
from hakaru.run.kit.home import Home, fault_of_trace
from hakaru.run.kit.testing import kit_results, sign

RECORDS = [record("himeno", 1), record("himeno", 2)]


def contents(folder) -> dict:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def results(tmp_path):
    return kit_results(tmp_path / "kit" / "results", RECORDS, {"a": 2, "b": 1})


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path / "here")


def taken(folder, store):
    return collect(Home.read(folder), store)


def reasons(found) -> dict[str, str]:
    return {path.name: why for path, why in found.problems}


def test_everything_comes_home_and_the_folder_stays_as_it_is(results, store):
    before = contents(results)
    found = taken(results.parent, store)
    assert found.made == [one.id for one in RECORDS] and not found.problems
    assert [folder.path.name for folder in found.traces] == ["a", "b"]
    assert len(found.traces[0].raw_files()) == 2
    assert store.all() == RECORDS
    assert contents(results) == before


def test_what_failed_there_comes_home_and_is_named(tmp_path, store):
    failed = probe(2, "a").failed("window refused", 4, "")
    results = kit_results(tmp_path / "results", [probe(1, "a"), failed])
    found = collect(Home.read(results), store, "far")
    assert found.failed == [failed] and failed.id in found.made


def test_what_comes_home_twice_is_taken_once(results, store):
    taken(results, store)
    (store.folder / "traces" / "a" / "archive").mkdir()  # as after its conversion
    before = contents(store.folder)
    again = taken(results, store)
    assert (again.made, again.known) == ([], [one.id for one in RECORDS])
    assert [folder.path.name for folder in again.known_traces] == ["a"]
    assert [folder.path.name for folder in again.traces] == ["b"]  # its conversion had not come to an end
    assert not again.problems and contents(store.folder) == before


def test_another_record_and_another_trace_of_a_name_are_told_and_both_stay(results, store):
    taken(results, store)
    path = results / "records" / f"{RECORDS[0].id}.json"
    path.write_text(json.dumps(changed(RECORDS[0], campaign="other").as_dict()))
    with open(results / "traces" / "a" / "raw" / "rank-0000001.hkr", "ab") as file:
        file.write(bytes(8))
    sign(results)
    before = contents(store.folder)
    found = taken(results, store)
    assert "another record of this id" in reasons(found)[path.name]
    assert "another trace of this name" in reasons(found)["a"]
    assert contents(store.folder) == before


@pytest.mark.parametrize("signed", [False, True])
def test_a_truncated_record_is_named_and_the_others_are_taken(results, store, signed):
    path = results / "records" / f"{RECORDS[0].id}.json"
    os.truncate(path, path.stat().st_size // 2)
    if not signed:
        (results / "checksums").unlink()
    found = taken(results, store)
    assert found.made == [RECORDS[1].id]
    assert ("truncated on its way" if signed else "no whole record") in reasons(found)[path.name]


def test_a_file_that_did_not_come_home_is_named(results, store):
    (results / "records" / f"{RECORDS[0].id}.json").unlink()
    assert reasons(taken(results, store)) == {f"{RECORDS[0].id}.json": "it did not come home"}


def test_a_renamed_record_is_refused(results, store):
    path = results / "records" / f"{RECORDS[0].id}.json"
    path.rename(path.with_name("x.json"))
    (results / "checksums").unlink()
    assert RECORDS[0].id in reasons(taken(results, store))["x.json"]


@pytest.mark.parametrize(
    "damage, said",
    [
        (lambda raw: (raw / "rank-0000001.hkr").unlink(), "rank 1 of 2 is missing"),
        (lambda raw: os.truncate(raw / "rank-0000000.hkr", 4120), "its records at 4,160"),
        (lambda raw: os.truncate(raw / "rank-0000000.hkr", 100), "does not begin as a raw trace does"),
        (lambda raw: (raw / "rank-0000000.hkr").write_bytes(b"x" * 5000), "does not begin"),
        (lambda raw: [path.unlink() for path in raw.iterdir()], "no rank was recorded"),
    ],
)
def test_a_damaged_trace_is_named_and_the_rest_is_taken(results, store, damage, said):
    damage(results / "traces" / "a" / "raw")
    (results / "checksums").unlink()
    found = taken(results, store)
    assert said in reasons(found)["a"]
    assert [folder.path.name for folder in found.traces] == ["b"] and len(found.made) == 2
    assert not (store.folder / "traces" / "a").exists()


def test_a_trace_of_another_version_is_named(results, store):
    path = results / "traces" / "a" / "raw" / "rank-0000000.hkr"
    data = bytearray(path.read_bytes())
    data[8] = VERSION + 1
    path.write_bytes(data)
    assert f"version {VERSION + 1}" in fault_of_trace(path.parent)


def test_a_trace_with_a_file_that_is_not_as_it_was_written_is_left_out(results, store):
    with open(results / "traces" / "b" / "raw" / "rank-0000000.hkr", "r+b") as file:
        file.seek(4100)
        file.write(b"x")
    found = taken(results, store)
    assert [folder.path.name for folder in found.traces] == ["a"]
    assert "not as it was written" in reasons(found)["rank-0000000.hkr"]


@pytest.mark.parametrize(
    "change", [{"schema": "hakaru/kit/2"}, {"record": "hakaru/record/2"}, {"raw": VERSION + 1}]
)
def test_a_kit_of_another_version_is_refused_before_anything_is_written(results, store, change):
    path = results / "kit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UserError, match="another version"):
        taken(results, store)
    assert not store.folder.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "hakaru/kit/1"}'])
def test_a_damaged_description_is_refused(results, store, text):
    (results / "kit.json").write_text(text)
    with pytest.raises(UserError, match="cannot be read"):
        taken(results, store)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(UserError, match="no results of a kit"):
        Home.read(tmp_path)


def test_a_checksum_of_a_place_outside_is_not_followed(results, store, tmp_path):
    (results / "checksums").write_text(f"0  ../../secret\n0  {tmp_path}/x\n")
    assert not taken(results, store).problems


def probe(number: int, campaign: str):
    return record("unknown_probe", number, kind="probe", campaign=campaign)


def test_the_machine_file_is_of_the_last_campaign_of_each_probe():
    first, second, third = probe(1, "a"), probe(2, "b"), probe(3, "b")
    assert newest([first, second, third]) == [second, third]


def test_the_file_of_another_machine_is_kept(tmp_path, store):
    results = kit_results(tmp_path / "results", [probe(1, "a")])
    found = collect(Home.read(results), store, "far")
    assert found.machine_file == store.folder / "machine.toml"
    own = Machine.load(found.machine_file)
    assert own.name == "far"
    again = collect(Home.read(results), store, "other")
    assert again.machine_file == store.folder / "other.toml"
    assert Machine.load(store.folder / "machine.toml").tree == own.tree
