"""``find`` and Python say the same of a folder, whatever its files are called; where ``find`` fails, Python is asked."""

import os

import pytest

from hakaru.facts.records import listing

NAMES = (
    "a.json",
    "b c.json",
    "ü.json",
    "new\nline.json",
    "'quoted\\n\".json",
    "-name.json",
    ".json.json"[1:],
)


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(NAMES):
        (tmp_path / name).write_text("x" * number)
        os.utime(tmp_path / name, ns=(0, 1_700_000_000_000_000_001 + number))
    (tmp_path / os.fsdecode(b"\xff.json")).write_text("no text")
    for name in (".hidden.json", "other.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "linked.json").symlink_to(tmp_path / "other.txt")
    (tmp_path / "dangling.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "c.json").write_text("")
    return tmp_path


@pytest.fixture
def by_find(monkeypatch):
    monkeypatch.setattr(listing, "LARGE", 0)


def test_both_say_the_same(folder, by_find):
    found, asked = listing.listing(folder), listing._listing(folder, beside=False)
    assert not found.is_small and asked.is_small
    assert dict(found) == dict(asked) and len(found) == len(asked) == len(NAMES) + 2
    assert found["b c.json"] == (1_700_000_000_000_000_002, 1)
    assert found.words == asked.words and found.digest() == asked.digest()


@pytest.mark.parametrize("change", ["size", "time", "new", "gone", "renamed"])
def test_every_change_changes_the_digest(folder, by_find, change):
    before, path = listing.listing(folder).digest(), folder / "a.json"
    if change == "size":
        path.write_text("longer")
        os.utime(path, ns=(0, 1_700_000_000_000_000_001))
    elif change == "time":
        os.utime(path, ns=(0, 1_700_000_000_000_000_002))
    elif change == "new":
        (folder / "new.json").write_text("")
    elif change == "gone":
        path.unlink()
    else:
        path.rename(folder / "other.json")
    assert listing.listing(folder).digest() != before


@pytest.mark.parametrize("script", ["exit 1", "echo something else", "printf 'a.json/1.5/1\\0'; exit 1"])
def test_another_find_is_not_believed(folder, by_find, script, tmp_path_factory, monkeypatch):
    place = tmp_path_factory.mktemp("bin")
    (place / "find").write_text(f"#!/bin/sh\n{script}\n")
    (place / "find").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    assert dict(listing.listing(folder)) == dict(listing._listing(folder, beside=False))


def test_without_find_python_is_asked(folder, by_find, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert len(listing.listing(folder)) == len(NAMES) + 2


def test_no_folder_has_no_files(tmp_path, by_find):
    assert dict(listing.listing(tmp_path / "none")) == {} == dict(listing.listing(tmp_path))


def test_a_listing_that_was_begun_is_taken_once(folder, by_find):
    records = folder / "records"
    records.mkdir()
    (records / "a.json").write_text("")
    listing.begin(folder)
    assert list(listing.listing(records)) == ["a.json"]
    (records / "b.json").write_text("")
    assert len(listing.listing(records)) == 2, "what was begun is not asked again"
