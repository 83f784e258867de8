"""``hakaru compare`` and ``hakaru history`` as they are typed."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree

import pytest
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.cli import register_commands
from hakaru.cli import root as app
from hakaru.facts.history.fixtures import launch, stored
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import changed
from hakaru.tell.history import plot

HTML = "<img src=x onerror=alert(1)>"


def run(folder, *words):
    if not app.registered_commands:
        register_commands()
    return CliRunner(env={"COLUMNS": "160"}).invoke(app, [*words, "--results", str(folder)])


def shift(day):
    return 1.2 if day >= 8 else 1.0


@pytest.fixture
def folder(tmp_path):
    stored(
        tmp_path,
        [
            launch(
                shift(day) * (1.0 + 0.004 * ((3 * day + 7 * number) % 5)),
                day=day,
                number=number,
                commit=("a" if day < 8 else "b") * 40,
                parameters={"n": 64, "input": HTML},
            )
            for day in range(16)
            for number in range(5)
        ],
    )
    return tmp_path


def test_a_regression_ends_with_one(folder):
    done = run(folder, "compare", "commit=aaaa", "commit=bbbb")
    assert done.exit_code == 1
    for words in (
        "slower",
        f"commit: {'a' * 40} -> {'b' * 40}",
        "B / A [95 %]",
        "40, 40",
        "Slower (beyond 0.05)",
    ):
        assert words in done.output
    back = run(folder, "compare", "commit=bbbb", "commit=aaaa")
    assert back.exit_code == 0 and "faster" in back.output
    assert run(folder, "compare", "commit=aaaa", "commit=bbbb", "--threshold", "30%").exit_code == 0


def test_json_of_a_comparison(folder):
    done = run(folder, "compare", "commit=aaaa", "commit=bbbb", "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 1 and found["regressed"] and found["threshold"] == 0.05
    row = found["pairs"][0]["rows"][0]
    assert (
        row["phase"] is None
        and row["ratio"]["low"] < 1.2 < row["ratio"]["high"]
        and row["verdict"] == "slower"
    )


def test_many_problems_are_told_in_short(tmp_path):
    stored(
        tmp_path,
        [
            launch(
                (2.0 if day and n == 3 else 1.0) + 0.001 * number,
                day=day,
                number=100 * n + number,
                parameters={"n": n},
            )
            for day in range(2)
            for n in range(12)
            for number in range(4)
        ],
    )
    done = run(tmp_path, "compare", "date=2026-03-01", "date=2026-03-02")
    assert done.exit_code == 1 and "heat n=3," in done.output and "heat n=4," not in done.output
    assert "11 more problems are not shown" in done.output


@pytest.mark.parametrize("words", [["--threshold", "x"], ["--threshold", "-1"], ["--threshold", "1e9"]])
def test_wrong_thresholds_are_told(folder, words):
    done = run(folder, "compare", "commit=aaaa", "commit=bbbb", *words)
    assert isinstance(done.exception, UserError) and done.exception.exit_code == 2


def test_a_history_shows_its_change(folder):
    done = run(folder, "history", "heat")
    assert done.exit_code == 0, done.output
    for words in (
        "2026-03-09: 1.20",
        "times as long from here on",
        f"commit: {'a' * 40}",
        "1 change in 1 series",
        "│",
        "•",
    ):
        assert words in done.output


def test_json_of_a_history(folder):
    found = json.loads(run(folder, "history", "--json").stdout)
    (series,) = found["series"]
    assert len(series["points"]) == 16 and series["changes"][0]["moment"] == "2026-03-09"
    assert len(series["points"][0]["launches"]) == 5 and found["false_alarm"] == 0.01


def test_the_page_is_whole_and_escapes(folder):
    page = folder / "history.html"
    assert run(folder, "history", "--page", str(page)).exit_code == 0
    text = page.read_text()
    assert "<img" not in text and "&lt;img src=x" in text and "<script" not in text
    assert "http://" not in text.replace("http://www.w3.org/", "") and "https://" not in text
    assert "2026-03-09" in text and "1 change in 1 series" in text
    xml.etree.ElementTree.fromstring(
        text[text.index("<svg") : text.index("</svg>") + 6].replace("xlink:href", "href")
    )
    again = folder / "again.html"
    run(folder, "history", "--page", str(again))
    assert again.read_text() == text


def test_what_is_left_out_is_said(folder):
    spoiled = [launch(9.0, day=20, number=number) for number in range(2)]
    later = changed(
        launch(9.0, day=21), started="2999-01-01T00:00:00.000Z", finished="2999-01-01T00:00:01.000Z"
    )
    stored(
        folder,
        [
            spoiled[0].failed("gone", 1, ""),
            changed(spoiled[1], layout=spoiled[1].layout.as_dict() | {"oversubscribed": True}),
            later,
        ],
    )
    (folder / "records" / "half.json").write_text("{")
    done = run(folder, "history")
    for words in (
        "1 launches left out: failed",
        "left out: oversubscribed",
        "1 damaged files",
        "dated in the future",
        "those of the future are left out",
    ):
        assert words in done.output
    assert "9.00 s" not in done.output and "1 change in 1 series" in done.output


def test_a_file_name_that_is_no_text_is_told(folder):
    (folder / "records" / os.fsdecode(b"\xff<b>.json")).write_text("{")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    page = folder / "page.html"
    for words in (["records"], ["history", "--page", str(page)]):
        line = [sys.executable, "-m", "hakaru", *words, "--results", str(folder)]
        done = subprocess.run(line, capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and "\\udcff<b>.json" in done.stdout + done.stderr, done.stderr
    assert "&lt;b&gt;.json" in page.read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--by", "week"], "a value is a date or a launch"),
        (["--phase", "gone"], "there are: .*halo"),
        (["--select", "host=gone"], "there are: node1"),
        (["waves"], "no runs of waves"),
        (["--false-alarm", "90%"], "out of range"),
    ],
)
def test_wrong_questions_are_told(folder, words, told):
    done = run(folder, "history", *words)
    assert isinstance(done.exception, UserError) and done.exception.exit_code == 2
    with pytest.raises(UserError, match=told):
        raise done.exception


def test_several_hosts_are_said(tmp_path):
    stored(tmp_path, [launch(1.0), launch(2.0, number=1, environment={"host": "node2"})])
    assert "launches of 2 hosts stand in one series" in run(tmp_path, "history").output
    assert "2 hosts" not in run(tmp_path, "history", "--select", "host=node2").output


def test_few_dates_are_said(tmp_path):
    stored(tmp_path, [launch(1.0)])
    done = run(tmp_path, "history")
    assert done.exit_code == 0 and "1 have fewer than the 10 values that a change needs" in done.output
    assert "┤" not in done.output and ": 1.00 s on 2" in done.output


def test_a_chart_has_its_values_in_order():
    lines = plot.chart([0.0, 0.5, 1.0], [1.0, 3.0, 2.0], [(0, 3, 2.0)], 60)
    assert len(lines) == plot.HEIGHT and all(len(line) <= 60 for line in lines)
    assert [line.index("•") > 0 for line in (lines[0], lines[4], lines[8])] == [True] * 3
    assert lines[0].index("•") < lines[4].rindex("•") and lines[8].index("•") < lines[0].index("•")
    assert plot.chart([0.5], [0.0], [(0, 1, 0.0)], 40) and plot.chart([0.5], [1.0], [(0, 1, 1.0)], 5)


def test_records_lists_the_newest(folder):
    done = run(folder, "records", "--last", "3")
    assert "the newest 3 of 80" in done.output and done.output.count("20260316T") == 3
    identity = RecordStore(folder).entries()[5].id
    assert json.loads(run(folder, "records", identity).stdout)["id"] == identity
    assert len(json.loads(run(folder, "records", "--json").stdout)["records"]) == 80
    assert isinstance(run(folder, "records", "gone").exception, UserError)
