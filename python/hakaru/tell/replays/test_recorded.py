"""``hakaru replay --otf2`` and ``--timeline``: the archive says what the replay said, and other tools read it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hakaru.base.paths import root
from hakaru.facts.traces.summary import TraceSummary
from hakaru.facts.traces.trace import Trace
from hakaru.tell.traces.timeline import fixtures

MACHINE = root() / "machines" / "fx1.toml"


def replay(folder: Path, *words: str | Path) -> subprocess.CompletedProcess:
    (folder / "schedule.json").write_text(json.dumps(fixtures.schedule(ranks=6, steps=20)))
    command = [
        sys.executable,
        "-m",
        "hakaru",
        "replay",
        "schedule.json",
        "--machine",
        MACHINE,
        "--results",
        "results",
        *words,
    ]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("replay")
    done = replay(place, "--json", "--otf2", "archive", "--timeline", "page.html")
    assert done.returncode == 0, done.stderr
    (place / "answer.json").write_text(done.stdout)
    return place


def fault(answer: dict, summary: TraceSummary) -> str | None:
    """What the archive says otherwise than the answer."""
    ranks = len(summary.ranks)
    kinds = {kind: seconds / ranks for kind, seconds in summary.time_by_kind.items()}
    last = max(rank.end_s for rank in summary.ranks)  # an answer counts as waiting what is left until then
    idle = sum(last - rank.end_s for rank in summary.ranks) / ranks
    calls = sum(kinds.values()) - kinds["compute"] + idle
    said = answer["breakdown_s"]
    pairs = {
        "time": (answer["time_s"], summary.efficiencies.runtime_s),
        "compute": (said["compute"], kinds["compute"]),
        "calls": (sum(seconds for name, seconds in said.items() if name != "compute"), calls),
    }
    wrong = {name: pair for name, pair in pairs.items() if pair[0] != pytest.approx(pair[1], rel=1e-6)}
    return str(wrong) if wrong else None


def test_the_archive_summarised_is_the_answer(folder):
    answer = json.loads((folder / "answer.json").read_text())
    summary = Trace.of_archive(folder / "archive").summary()
    assert fault(answer, summary) is None
    damaged = answer | {
        "breakdown_s": answer["breakdown_s"] | {"compute": answer["breakdown_s"]["compute"] * 1.001}
    }
    assert fault(damaged, summary) is not None
    phases = {phase.name: phase.mean_s for phase in summary.phases}
    for phase in answer["phases"]:
        if phase["maximum_s"] > 0.0 and phase["name"] != "other":
            assert phases[phase["name"]] == pytest.approx(phase["mean_s"], rel=1e-6)


def test_the_page_is_of_the_replay(folder):
    text = (folder / "page.html").read_text()
    assert "<h1>Replay: schedule.json on fx1</h1>" in text and "hakaru trace timeline archive" in text
    assert fixtures.NASTY not in text and "from its begin to its end" in text


def test_the_archive_is_replayed_as_any_other(folder):
    first = json.loads((folder / "answer.json").read_text())["time_s"]
    done = replay(folder, "--json")
    again = subprocess.run(
        [sys.executable, "-m", "hakaru", "replay", "archive", "--machine", str(MACHINE), "--results", "results", "--json"],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert json.loads(done.stdout)["time_s"] == pytest.approx(first, rel=1e-12)
    assert json.loads(again.stdout)["time_s"] == pytest.approx(first, rel=1e-6)


def test_otf2_print_reads_it(folder):
    tool = shutil.which("otf2-print")
    if tool is None:
        pytest.skip("otf2-print is not installed: apt-get install otf2-tools")
    done = subprocess.run(
        [tool, str(folder / "archive" / "traces.otf2")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout.count("MPI_SEND ") == 6 * 20 and done.stdout.count("MPI_COLLECTIVE_END") == 6 * 20


@pytest.mark.parametrize("word", ["--sensitivity", "--check"])
def test_only_one_replay_is_recorded(tmp_path, word):
    done = replay(tmp_path, word, "--otf2", "archive")
    assert done.returncode == 2 and "they show one replay" in done.stderr
    assert not (tmp_path / "archive").exists()


def test_nobodys_folder_is_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    done = replay(tmp_path, "--otf2", "mine")
    assert done.returncode == 2 and "is no archive" in done.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter"]
