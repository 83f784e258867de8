"""What ``hakaru mix`` shows: letters, tables, the page in a browser, errors in words."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hakaru.foretell.mix import ask, file
from hakaru.foretell.mix.fixtures import foretell, line
from hakaru.foretell.mix.placing import bars
from hakaru.run.lab.system import wait_until
from hakaru.tell.mix import display, gantt
from hakaru.tell.mix.mix_page import page as made_page
from hakaru.tell.report.test_browser import CHROMIUM, _chromium, console_messages, contrast, look

MIX = """name = "m"
nodes = 3
cores = 2
draws = 9
[[jobs]]
name = "<wide> & long"
usual_s = { value = 30, low = 25, high = 40 }
nodes = 2
count = 6
[[jobs]]
name = "small"
usual_s = 10
count = 12
[power]
busy_w = 400
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> ask.Answered:
    folder = tmp_path_factory.mktemp("mix")
    (folder / "mix.toml").write_text(MIX)
    return ask.answer_with(file.read(folder / "mix.toml"), folder, None, foretell, ask.Wanted(policies=True))


@pytest.mark.parametrize("shared", ["", "shared = true\n"])
def test_bars_are_jobs_that_do_not_overlap(tmp_path, shared):
    (tmp_path / "mix.toml").write_text(shared + MIX.replace("count = 12", "cores = 1\ncount = 12"))
    found = ask.answer_with(file.read(tmp_path / "mix.toml"), tmp_path, None, foretell, ask.Wanted())
    outcome = found.scenario.played(0)
    drawn = bars(outcome, 3, 2)
    assert {bar.job for bar in drawn} == set(range(18))
    for one in drawn:
        for other in drawn:
            if (
                one is not other
                and one.first < other.first + other.height
                and other.first < one.first + one.height
            ):
                assert one.end_s <= other.begin_s + 1e-9 or other.end_s <= one.begin_s + 1e-9
    heights = sum(bar.height * (bar.end_s - bar.begin_s) for bar in drawn)
    parts = outcome.jobs.needs * (outcome.jobs.cores / 2 if shared else 1.0)
    assert heights == pytest.approx(float((parts * (outcome.end_s - outcome.start_s)).sum()))


def test_letters_say_who_runs_where(found):
    outcome = found.scenario.played(0)
    lines = gantt.lines(bars(outcome, 3, 2), 3, 0.0, float(outcome.end_s.max()), 40)
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert all(set(line.split()[1]) <= set("AB·") for line in lines)
    assert lines[0].split()[1].startswith("A") and lines[2].split()[1].startswith("B")
    many = gantt.lines([], 1000, 0.0, 1.0, 10)
    assert len(many) == gantt.MOST_ROWS and many[0].split() == ["1-62", "·" * 10]


def test_a_terminal_shows_everything(found, capsys):
    display.show(found, None)
    text = capsys.readouterr().out
    for words in (
        "18 jobs on 3 nodes",
        "makespan",
        "jobs per hour",
        "energy",
        "What if",
        "33 % more nodes",
        "conservative",
    ):
        assert words in text
    assert "9 draws (seed 1)" in text


def test_the_page_names_what_it_shows_and_is_the_same_again(found):
    text = made_page(found, "hakaru mix m.toml")
    assert text == made_page(found, "hakaru mix m.toml")
    assert "&lt;wide&gt; &amp; long" in text and "<wide>" not in text
    assert (
        text.count('<svg class="picture"') == 2
        and "<script" not in text
        and "http://" not in text.split("</style>")[1].replace("http://www.w3.org", "")
    )


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed: apt-get install chromium")
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_the_page_fits_in_a_browser(found, tmp_path, width, scheme):
    text = made_page(found, "hakaru mix m.toml --page m.html")
    seen = look(tmp_path, text, width, scheme)
    assert seen["scroll"] <= width and seen["wide"] == [] and seen["flat"] == [] and seen["cut"] == []
    assert seen["pictures"] == 2 and seen["smallest"] > 7.0
    assert all(contrast(colour, seen["background"]) >= 4.5 for colour in [seen["ink"], *seen["text"]])
    (tmp_path / "page.html").write_text(text)
    done = _chromium(tmp_path, f"--screenshot={tmp_path / 'page.png'}", (tmp_path / "page.html").as_uri())
    assert console_messages(done.stderr) == []


def hakaru(folder, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "hakaru", "mix", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_command(tmp_path):
    (tmp_path / "mix.toml").write_text(MIX)
    done = hakaru(tmp_path, "mix.toml", "--json", "--page", "m.html", "--more-nodes", "1")
    told = json.loads(done.stdout)
    assert told["schema"] == "hakaru/mix-result/1" and told["what_if"][0]["nodes"] == 6
    assert (tmp_path / "m.html").read_text().startswith("<!DOCTYPE html>")


def test_jobs_that_take_no_time_have_a_page_without_charts(tmp_path):
    (tmp_path / "a.swf").write_text(line(1, 5, 0))
    (tmp_path / "mix.toml").write_text('name = "m"\n[arrival]\nlog = "a.swf"\n')
    done = hakaru(tmp_path, "mix.toml", "--page", "m.html")
    assert done.returncode == 0 and done.stderr == "" and "makespan              0 s" in done.stdout
    assert "<svg" not in (tmp_path / "m.html").read_text()


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_ctrl_c_ends_it_and_everybody_who_helps(tmp_path):
    (tmp_path / "mix.toml").write_text(
        MIX.replace("draws = 9", "draws = 5000").replace("count = 12", "count = 9000")
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "hakaru", "mix", "mix.toml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert wait_until(lambda: children(process.pid), 30.0), "helpers start"
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=30)
    assert process.returncode == 130 and out == ""
    assert "stopped; nothing of a mix is kept" in said and "Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gone.toml"], "cannot read the mix gone.toml"),
        (["mix.toml", "--more-nodes", "many"], "--more-nodes many is not understood"),
        (["mix.toml", "--more-nodes", "-20%"], "--more-nodes -20% cannot be"),
        (["mix.toml", "--page", "mix.toml/x.html"], "cannot write"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, words, said):
    (tmp_path / "mix.toml").write_text(MIX)
    done = hakaru(tmp_path, *words)
    assert (
        done.returncode != 0 and done.stdout == "" and said in done.stderr and "Traceback" not in done.stderr
    )
    assert done.stderr.count("\n") == 1
