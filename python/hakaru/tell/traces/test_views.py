"""``hakaru trace timeline`` and ``hakaru trace export`` as they are typed: what they write, and what they refuse."""

import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from hakaru.facts.traces.trace import Trace
from hakaru.tell.traces.timeline import fixtures


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Trace:
    return fixtures.ring(tmp_path_factory.mktemp("ring"))


@pytest.fixture
def archive(trace) -> Path:
    return trace.path.parent


def hakaru(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "hakaru", "trace", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_a_page_is_written_where_one_stands_or_where_it_is_named(archive, tmp_path):
    done = hakaru("timeline", archive, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "page: timeline.html\n", done.stderr
    assert (tmp_path / "timeline.html").read_text().startswith("<!DOCTYPE html>")
    assert hakaru("timeline", archive / "traces.otf2", "-o", tmp_path / "other.html").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.html", "timeline.html"]


def test_the_document_is_printed_or_written(archive, tmp_path):
    printed = json.loads(hakaru("timeline", archive, "--json").stdout)
    assert printed["schema"] == "hakaru/timeline/1"
    done = hakaru("timeline", archive, "--json", "-o", tmp_path / "t.json")
    assert done.returncode == 0 and "4 rows" in done.stdout
    assert json.loads((tmp_path / "t.json").read_text()) == printed


def calls_of(trace: Trace) -> Counter:
    return Counter({call.name: call.calls for call in trace.summary().calls})


def fault(events: Counter, trace: Trace) -> str | None:
    """What differs between the calls of an export and those of the summary."""
    wanted = calls_of(trace)
    wrong = {name: (events[name], count) for name, count in wanted.items() if events[name] != count}
    return str(wrong) if wrong else None


def test_csv_has_the_calls_of_the_summary(trace, archive, tmp_path):
    done = hakaru("export", "--csv", archive, "-o", tmp_path / "t.csv", "--json")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    names = Counter(row["name"] for row in rows if row["kind"] not in ("phase", "message"))
    assert fault(names, trace) is None
    names["MPI_Send"] -= 1
    assert fault(names, trace) is not None
    told = json.loads(done.stdout)
    assert told["messages"] == sum(row["kind"] == "message" for row in rows) == 48
    assert told["calls"] == sum(calls_of(trace).values())
    assert {row["name"] for row in rows if row["kind"] == "phase"} == {fixtures.NASTY, "halo"}
    summary = trace.summary()
    computing = sum(float(row["end_s"]) - float(row["begin_s"]) for row in rows if row["kind"] == "compute")
    assert computing == pytest.approx(summary.time_by_kind["compute"], rel=1e-6)


def test_perfetto_has_the_calls_of_the_summary(trace, archive, tmp_path):
    assert hakaru("export", "--perfetto", archive, "-o", tmp_path / "t.json").returncode == 0
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert fault(Counter(event["name"] for event in events if event["ph"] == "X"), trace) is None
    assert sum(event["ph"] == "s" for event in events) == sum(event["ph"] == "f" for event in events) == 48
    assert sum(event["name"] == "process_name" for event in events if event["ph"] == "M") == 4


def test_paraver_has_the_calls_of_the_summary(trace, archive, tmp_path):
    assert hakaru("export", "--paraver", archive, "-o", tmp_path / "t.prv").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.pcf", "t.prv", "t.row"]
    named = {}
    for line in (tmp_path / "t.pcf").read_text().splitlines():
        number, _, name = line.partition("      ")
        if number.isdigit() and name.startswith("MPI_"):
            named[number] = name
    lines = [line.split(":") for line in (tmp_path / "t.prv").read_text().splitlines()[1:]]
    calls = [one for one in lines if one[0] == "2" and one[6].startswith("5000000") and one[7] != "0"]
    assert fault(Counter(named[one[7]] for one in calls), trace) is None
    assert sum(one[0] == "3" for one in lines) == 48


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["export", "-o", "x"], "no format is named (known are --perfetto, --paraver, --csv)"),
        (["export", "--csv", "--perfetto", "-o", "x"], "several formats are named"),
        (["export", "--paraver", "-o", "x.txt"], "x.txt is no name for a Paraver trace"),
        (["timeline", "--from", "9"], "nothing of the trace lies in that time"),
    ],
)
def test_what_cannot_be_is_said(archive, tmp_path, words, why):
    done = hakaru(words[0], archive, *words[1:], cwd=tmp_path)
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_no_trace_is_no_trace(tmp_path):
    (tmp_path / "letter").write_text("dear")
    for given, why in (
        (tmp_path / "nothing", "no such file"),
        (tmp_path / "letter", "no OTF2 archive"),
        (tmp_path, "holds no"),
    ):
        done = hakaru("timeline", given)
        assert done.returncode == 2 and why in done.stderr


@pytest.mark.parametrize("damage", ["truncated", "corrupted"])
def test_a_damaged_archive_leaves_nothing(archive, tmp_path, damage):
    copy = shutil.copytree(archive, tmp_path / "copy")
    path = copy / "traces" / "1.evt"
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        content = content[: len(content) // 2]
    else:
        content[len(content) // 2] ^= 16
    path.write_bytes(content)
    for words in (["timeline", copy, "-o", "t.html"], ["export", "--csv", copy, "-o", "t.csv"]):
        done = hakaru(*words, cwd=tmp_path)
        assert done.returncode == 2 and "archive" in done.stderr and "; " in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


@pytest.mark.parametrize(
    "words", [["timeline"], ["export", "--csv"], ["export", "--perfetto"], ["export", "--paraver"]]
)
def test_on_a_full_disk_what_was_there_stays(archive, disk, words):
    (disk / "t.prv").write_text("old")
    done = hakaru(*words, archive, "-o", disk / "t.prv")
    assert done.returncode == 4 and "cannot write" in done.stderr, done.stderr
    assert [path.name for path in disk.iterdir()] == ["t.prv"] and (disk / "t.prv").read_text() == "old"


def test_behind_two_dashes_a_word_is_a_program():
    done = hakaru("--", "timeline")
    assert done.returncode != 0 and "timeline" in done.stderr and "page:" not in done.stdout
