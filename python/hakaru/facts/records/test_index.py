"""The index answers as the files do: after changes behind its back, damage, kills, without leave to write, and for two at a time."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hakaru.facts.history.fixtures import launch, stored
from hakaru.facts.records import RecordStore, Wanted, index, listing, store
from hakaru.facts.records.entry import Entry
from hakaru.facts.records.fixtures import changed, record
from hakaru.facts.records.record import OTHER, WAIT


@pytest.fixture(autouse=True, params=["file for file", "by find"])
def always_indexed(request, monkeypatch):
    monkeypatch.setattr(listing, "SMALL", 0)
    if request.param == "by find":
        monkeypatch.setattr(listing, "LARGE", 0)


@pytest.fixture
def folder(tmp_path):
    stored(tmp_path, [launch(1.0 + 0.01 * number, number=number) for number in range(6)])
    stored(tmp_path, [launch(2.0, number=number, program="waves") for number in range(3)])
    return tmp_path


@pytest.fixture
def reads(monkeypatch):
    """Names of the files that were read."""
    seen, reading = [], store.Record.read.__func__

    def read(cls, path):
        seen.append(path.name)
        return reading(cls, path)

    monkeypatch.setattr(store.Record, "read", classmethod(read))
    return seen


def of_files(folder) -> list[Entry]:
    return [Entry.of(one) for one in RecordStore(folder).all()]


def database(folder) -> Path:
    return folder / ".index" / "records.sqlite"


def test_entries_are_those_of_the_files_and_read_once(folder, reads):
    expected = of_files(folder)
    reads.clear()
    assert RecordStore(folder).entries() == expected and len(reads) == 9
    reads.clear()
    assert RecordStore(folder).entries() == expected and reads == []
    assert [entry.program for entry in RecordStore(folder).entries(Wanted("waves"))] == ["waves"] * 3


def test_an_entry_holds_what_is_asked(folder):
    entry = RecordStore(folder).entries(Wanted("heat"))[2]
    assert entry.wall_s == pytest.approx(1.02) and entry.date == "2026-03-01"
    assert sum(entry.phases.values()) == pytest.approx(entry.wall_s)
    assert list(entry.phases) == ["sweep", "halo", OTHER, WAIT]
    assert entry.environment["compiler"] == "g++ 12" and entry.environment["commit"] == "a" * 40


def test_selection_of_records_reads_only_these(folder, reads):
    RecordStore(folder).entries()
    reads.clear()
    assert [one.program for one in RecordStore(folder).all(program="waves")] == ["waves"] * 3
    assert len(reads) == 3


def test_files_changed_added_and_deleted_are_noticed(folder, reads):
    RecordStore(folder).entries()
    paths = sorted((folder / "records").glob("*heat*.json"))
    slower = RecordStore(folder).all(program="heat")[0].as_dict()
    for repetition in slower["repetitions"]:
        repetition["wall_s"] *= 3.0
    paths[0].write_bytes(json.dumps(slower).encode())
    paths[1].unlink()
    stored(folder, [launch(9.0, number=50)])
    reads.clear()
    found = RecordStore(folder).entries(Wanted("heat"))
    assert [round(entry.wall_s, 2) for entry in found] == [3.0, 1.02, 1.03, 1.04, 1.05, 9.0]
    assert len(reads) == 2


def test_a_file_of_the_same_size_is_noticed_by_its_time(folder):
    RecordStore(folder).entries()
    path = sorted((folder / "records").glob("*heat*.json"))[0]
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"n":64', b'"n":65').replace(b'"n": 64', b'"n": 65'))
    assert path.read_bytes() != text and len(path.read_bytes()) == len(text)
    assert RecordStore(folder).entries(Wanted("heat"))[0].parameters == {"n": 65}


def test_damaged_files_are_told_every_time_and_forgotten_when_mended(folder):
    broken = folder / "records" / "broken.json"
    broken.write_text('{"schema": ')
    for _ in range(2):
        seen = RecordStore(folder)
        assert len(seen.entries()) == 9 and [path for path, _ in seen.damaged] == [broken]
        assert len(seen.all(program="heat")) == 6 and [path for path, _ in seen.damaged] == [broken]
    broken.unlink()
    seen = RecordStore(folder)
    assert len(seen.entries()) == 9 and seen.damaged == []


def test_a_file_of_a_gigabyte_is_not_read(folder):
    with open(folder / "records" / "huge.json", "wb") as file:
        file.truncate(2**30)
    seen = RecordStore(folder)
    assert len(seen.entries()) == 9 and "1.07e+09 B" in seen.damaged[0][1]


def overwrite(folder):
    database(folder).write_bytes(b"no database at all" * 200)


def cut(folder):
    data = database(folder).read_bytes()
    database(folder).write_bytes(data[: len(data) // 2])


def half_the_tables(folder):
    with sqlite3.connect(database(folder)) as connection:
        connection.execute("DROP TABLE environments")


def another_time(folder):
    """A single byte of an entry: SQLite does not see it."""
    with sqlite3.connect(database(folder)) as connection:
        name, packed = connection.execute("SELECT name, entry FROM entries LIMIT 1").fetchone()
        at = packed.index(b"\xcb") + 4  # within the first number of 8 bytes
        spoiled = packed[:at] + bytes([packed[at] ^ 0x10]) + packed[at + 1 :]
        connection.execute("UPDATE entries SET entry = ? WHERE name = ?", (spoiled, name))


@pytest.mark.parametrize("damage", [overwrite, cut, half_the_tables, another_time])
def test_a_damaged_index_is_made_anew_with_one_line(folder, damage, capfd):
    expected = RecordStore(folder).entries()
    damage(folder)
    assert RecordStore(folder).entries() == expected
    told = capfd.readouterr().err
    assert told.count("\n") == 1 and "is damaged" in told and "made anew" in told
    assert RecordStore(folder).entries() == expected and not capfd.readouterr().err


def test_another_version_is_made_anew_silently(folder, monkeypatch, capfd):
    expected = RecordStore(folder).entries()
    monkeypatch.setattr(index, "VERSION", index.VERSION + 1)
    assert RecordStore(folder).entries() == expected and not capfd.readouterr().err


def test_it_can_be_deleted(folder):
    expected = RecordStore(folder).entries()
    for path in (folder / ".index").iterdir():
        path.unlink()
    assert RecordStore(folder).entries() == expected and database(folder).is_file()


def test_a_folder_that_cannot_be_written_is_answered_without(folder, reads):
    (folder / ".index").write_text("a file where the index should be")
    assert len(RecordStore(folder).entries()) == 9 and len(reads) == 9


def test_a_full_disk_is_no_damage(folder, monkeypatch, capfd):
    opening = index.Index._open

    def small(self, mode):
        database = opening(self, mode)
        if mode == "rwc":
            database.execute("PRAGMA max_page_count = 12")
        return database

    monkeypatch.setattr(index.Index, "_open", small)
    stored(folder, [launch(1.0, day=1, number=number) for number in range(60)])
    assert RecordStore(folder).entries() == of_files(folder) and not capfd.readouterr().err


def test_an_index_that_may_only_be_read_helps_with_what_it_knows(folder, reads, monkeypatch):
    RecordStore(folder).entries()
    stored(folder, [launch(9.0, number=50)])
    sorted((folder / "records").glob("*waves*.json"))[0].unlink()

    def refused(self, how):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(index.Index, "_locked", refused)
    before = database(folder).read_bytes()
    reads.clear()
    assert RecordStore(folder).entries() == of_files(folder)
    assert reads[:1] == [RecordStore(folder).path(launch(9.0, number=50).id).name]
    assert database(folder).read_bytes() == before


def test_a_folder_that_is_not_there_is_empty_and_stays_away(tmp_path):
    assert RecordStore(tmp_path / "nothing").entries() == []
    assert not (tmp_path / "nothing").exists()


def test_a_file_name_that_is_no_text_is_no_hindrance(folder):
    expected = RecordStore(folder).entries()
    (folder / "records" / os.fsdecode(b"\xff.json")).write_text("{")
    for _ in range(2):
        seen = RecordStore(folder)
        assert seen.entries() == expected and len(seen.damaged) == 1


def test_few_records_need_no_index(folder, monkeypatch):
    monkeypatch.setattr(listing, "SMALL", 200)
    monkeypatch.setattr(listing, "LARGE", 1 << 30)
    assert len(RecordStore(folder).entries()) == 9 and not (folder / ".index").exists()


ASK = """
import sys
from hakaru.facts.records import RecordStore, listing
listing.SMALL = 0
print(len(RecordStore(sys.argv[1]).entries()))
"""


def test_several_processes_at_the_same_time(folder):
    stored(folder, [launch(1.0, day=1, number=number) for number in range(300)])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    line = [sys.executable, "-c", ASK, str(folder)]
    started = [
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        for _ in range(4)
    ]
    for process in started:
        out, told = process.communicate(timeout=120)
        assert (process.returncode, out.strip(), told) == (0, b"309", b"")


KILLED = """
import os, sys
from hakaru.facts.records import RecordStore, Wanted, index, listing
listing.SMALL, index.BATCH, seen = 0, 20, []
reading = RecordStore._entry
def entry(self, path):
    seen.append(path)
    if len(seen) == 50:
        os.kill(os.getpid(), 9)
    return reading(self, path)
RecordStore._entry = entry
RecordStore(sys.argv[1]).entries()
"""


def test_a_killed_build_goes_on_from_what_was_stored(folder, reads):
    stored(folder, [launch(1.0, day=1, number=number) for number in range(100)])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], env=environment, check=False)
    assert done.returncode == -9
    reads.clear()
    assert len(RecordStore(folder).entries()) == 109 and len(reads) == 69


def test_why_a_time_is_no_performance():
    reasons = {
        "failed": record("heat").failed("gone", 1, ""),
        "wrong result": changed(launch(1.0), verdict="failed"),
        "oversubscribed": changed(
            launch(1.0), layout=launch(1.0).layout.as_dict() | {"oversubscribed": True}
        ),
        None: launch(1.0),
    }
    assert [Entry.of(one).left_out for one in reasons.values()] == list(reasons)


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Wanted("heat"), 7),
        (Wanted(status="failed"), 1),
        (Wanted(first="2026-03-02"), 2),
        (Wanted(last="2026-03-01"), 9),
        (Wanted("heat", first="2026-03-02", last="2026-03-02"), 1),
        (Wanted(commit="bb"), 1),
        (Wanted(newest=2), 2),
        (Wanted("nothing"), 0),
    ],
)
def test_the_index_chooses_as_the_files_do(folder, wanted, count, monkeypatch):
    failed = changed(launch(1.0, day=1, number=1, program="waves").failed("gone", 1, ""), repetitions=[])
    stored(folder, [launch(1.0, day=1, commit="b" * 40), failed])
    indexed = RecordStore(folder)
    found = indexed.entries(wanted)
    monkeypatch.setattr(listing, "SMALL", 1000)
    monkeypatch.setattr(listing, "LARGE", 1 << 30)
    (folder / ".index" / "records.sqlite").unlink()
    read = RecordStore(folder)
    assert read.entries(wanted) == found and len(found) == count
    assert (read.total, read.damaged) == (indexed.total, indexed.damaged)
