import copy
import json
import re

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines.machine import UNKNOWN, Machine
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed
from hakaru.tell.charts import charts
from hakaru.tell.explain import fixtures
from hakaru.tell.report import write_report


def test_needs_nothing_from_outside(page):
    assert "<script" not in page.lower()
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page) == []
    assert "@import" not in page and re.findall(r"url\((?!#)[^)]*\)", page) == []
    assert re.findall(r"https?://(?!www\.w3\.org/)", page) == []


def test_same_input_gives_the_same_file(results, page_file, tmp_path):
    again = write_report(tmp_path / "again.html", *results, {"duration": "4 min 40 s"})
    assert again.read_bytes() == page_file.read_bytes()


def test_no_id_appears_twice(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_every_section_and_every_chart_is_there(page):
    for name in ("summary", "machine", "programs", "forecasts", "next", "conditions", "reproduce"):
        assert f'<section id="{name}">' in page and f'href="#{name}"' in page
    for module in charts():
        assert f"<h3>{module.title}</h3>" in page
    assert "No data:" not in page


def test_failed_runs_stay_visible_with_their_standard_error(page):
    assert "rank 1: out of memory" in page and "killed by signal 9" in page and "exit code 137" in page


def _spoiled(record, evil):
    """The record with ``evil`` wherever a person names something."""
    data = record.as_dict()
    data["parameters"][evil] = evil
    data["environment"]["cpu_model"] = evil
    data["context"]["launch_line"] = evil
    if data["failure"]:
        data["failure"].update(standard_error=evil, reason=evil)
    for phase in data["phases"]:
        if phase["name"] == "update":
            phase["name"] = evil
    for repetition in data["repetitions"]:
        if "update" in repetition["phases"]:
            repetition["phases"][evil] = repetition["phases"].pop("update")
    return Record.of(data)


def test_what_people_name_stays_text(results, tmp_path):
    evil = "<script>alert(1)</script>"
    records, machine, forecasts = copy.deepcopy(results)
    records = [_spoiled(record, evil) for record in records]
    machine = Machine.of(machine.tree | {"name": evil, "description": evil})
    forecasts[2] = msgspec.structs.replace(forecasts[2], program=evil, facts=(evil, *forecasts[2].facts[1:]))
    text = write_report(tmp_path / "r.html", records, machine, forecasts, {evil: evil}).read_text()
    assert "<script" not in text.lower()
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 20


def test_an_empty_results_folder_says_what_to_do(tmp_path):
    text = write_report(tmp_path / "empty.html", [], UNKNOWN, []).read_text()
    assert text.count("No data:") == sum(not hasattr(chart, "program") for chart in charts())
    assert "hakaru probe" in text and "hakaru run" in text


def test_oversubscribed_runs_are_marked(tmp_path):
    layout = fixtures.layout(4, 1, oversubscribed=True)
    records = [fixtures.record("a", 0, [fixtures.repetition({"w": [1.0] * 4})], layout=layout)]
    text = write_report(tmp_path / "r.html", records, UNKNOWN, []).read_text()
    assert "4 ranks × 1 thread (oversubscribed)" in text and '<tr class="marked">' in text


def test_bound_above_one_is_said_to_come_from_cache(tmp_path):
    records = fixtures.himeno("M", 4e6, 1, 1, 0)
    work = records[0].work.as_dict()
    work["phases"][0]["bytes_write_allocate"] *= 2
    records = [changed(record, work=work) for record in records]
    text = write_report(tmp_path / "r.html", records, fixtures.machine(), []).read_text()
    assert re.search(r"1[56]\d % of memory", text) and "part comes from a cache" in text


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write the report") as error:
        write_report(tmp_path / "file" / "report.html", [], UNKNOWN, [])
    assert error.value.exit_code == 4


def test_a_failed_write_leaves_the_old_report(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")
    monkeypatch.setattr(
        "os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(UserError, match="No space left"):
        write_report(target, [], UNKNOWN, [])
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]


def test_matplotlib_and_jinja_are_imported_late():
    import subprocess
    import sys

    code = "import sys, hakaru.tell.report, hakaru.tell.explain.summary, hakaru.cli.report\n"
    code += "print([m for m in ('matplotlib', 'numpy', 'jinja2', 'scipy') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def _results_folder(folder, results):
    records, _, forecasts = results
    (folder / "records").mkdir(parents=True)
    (folder / "forecasts").mkdir()
    for record in records:
        (folder / "records" / f"{record.id}.json").write_text(json.dumps(record.as_dict()))
    for forecast in forecasts:
        unscored = forecast.with_score(None).as_dict()
        (folder / "forecasts" / f"{forecast.id}.json").write_text(json.dumps(unscored))
        if forecast.score:
            (folder / "forecasts" / f"{forecast.id}.score.json").write_text(
                json.dumps(forecast.score.as_dict())
            )
    return folder


def _cli(*arguments):
    import typer
    from typer.testing import CliRunner

    from hakaru.cli import report

    app = typer.Typer()
    report.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_command_writes_the_page_and_prints_the_summary(results, tmp_path):
    folder = _results_folder(tmp_path / "results", results)
    done = _cli("--results", folder, "--output", tmp_path / "out.html")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) <= 11 and lines[-1] == f"Report: {tmp_path / 'out.html'}"
    assert "11 of 12 forecasts held" in done.stdout
    assert "<h1>" in (tmp_path / "out.html").read_text()


def test_command_prints_the_numbers_as_json(results, tmp_path):
    done = _cli("--results", _results_folder(tmp_path / "results", results), "--json")
    numbers = json.loads(done.stdout)
    assert numbers["track_record"]["scored"] == 12 and numbers["left_out"] == []
    assert len(numbers["cases"]) == 5


def test_damaged_files_are_named_and_left_out(results, tmp_path):
    folder = _results_folder(tmp_path / "results", results)
    (folder / "records" / "broken.json").write_text('{"schema": "hakaru/rec')
    (folder / "forecasts" / "torn.json").write_text("{")
    (folder / "machine.toml").write_text("not = = toml")
    done = _cli("--results", folder, "--output", tmp_path / "out.html")
    assert done.exit_code == 0, done.output
    for name in ("broken.json", "torn.json", "machine.toml"):
        assert f"left out: {name}" in done.stderr
        assert name in (tmp_path / "out.html").read_text()


def test_a_missing_results_folder_is_a_clear_error(tmp_path):
    done = _cli("--results", tmp_path / "nowhere")
    assert isinstance(done.exception, UserError) and "run hakaru run first" in str(done.exception)
