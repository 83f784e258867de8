"""Exports are read back by parsers that are not hakaru's, names that need quoting included."""

import csv
import json

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.cli import register_commands
from hakaru.cli import root as app
from hakaru.facts.history.fixtures import launch, stored
from hakaru.facts.records.fixtures import changed
from hakaru.tell import exports
from hakaru.tell.exports import command, openmetrics
from hakaru.tell.exports.options import Request

NASTY = 'a "b", c\n<script>alert(1)</script>\\n;=1+1'
TIMES = (1.0, 1.1, 0.9)


@pytest.fixture
def folder(tmp_path):
    fine = [
        launch(time, number=number, parameters={"n": 64, "input": NASTY}) for number, time in enumerate(TIMES)
    ]
    other = launch(2.0, day=1, environment={"compiler": NASTY})
    failed = changed(
        launch(9.0, number=7),
        status="failed",
        failure={"reason": NASTY, "exit_code": 1, "standard_error": ""},
    )
    stored(tmp_path / "results", [*fine, other, failed, changed(launch(9.0, number=8), kind="probe")])
    return tmp_path


def write(folder, form, **more):
    path = folder / f"out.{form}"
    command.answer(Request(path, form, results=folder / "results", **more))
    return path


def test_every_format_says_what_it_is():
    assert list(exports.formats()) == ["benchkit", "csv", "openmetrics", "parquet"]
    assert all(exports.named(name).about for name in exports.formats())


def test_csv_is_read_back(folder):
    with open(write(folder, "csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    whole = [row for row in rows if row["phase"] == ""]
    assert [float(row["time_s"]) for row in whole[:3]] == pytest.approx(list(TIMES))
    assert json.loads(whole[0]["parameters"])["input"] == NASTY
    assert {row["left_out"] for row in whole} == {"", "failed"} and len(whole) == 6
    assert [row["failure"] for row in whole if row["failure"]] == [NASTY]
    assert {row["phase"] for row in rows} == {"", "sweep", "halo", "other", "wait for others"}
    assert any(row["compiler"] == NASTY for row in rows)


def test_openmetrics_is_what_a_parser_takes(folder, capsys):
    text = write(folder, "openmetrics").read_text()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    launches = families["hakaru_launch_time_seconds"]
    assert (launches.type, launches.unit) == ("gauge", "seconds")
    assert sorted(sample.value for sample in launches.samples) == pytest.approx([0.9, 1.0, 1.1, 2.0])
    assert any(sample.labels["compiler"] == NASTY for sample in launches.samples)
    assert "input=" + NASTY in launches.samples[0].labels["parameters"]
    assert len(families["hakaru_phase_time_seconds"].samples) == 4 * 4
    assert "2 records left out" in capsys.readouterr().err


def test_a_parser_that_takes_anything_would_be_no_check(folder):
    text = write(folder, "openmetrics").read_text()
    for damage in (text.replace("# EOF\n", ""), text.replace('\\"', '"'), text + text):
        with pytest.raises(ValueError):
            list(text_string_to_metric_families(damage))


def test_openmetrics_of_launches_that_began_together(tmp_path):
    together = [changed(launch(1.0 + number), id=f"same-{number}") for number in range(3)]
    store = stored(tmp_path, together)
    text = "".join(f"{line}\n" for line in openmetrics.lines(store.entries(), "fugaku"))
    samples = next(iter(text_string_to_metric_families(text))).samples
    assert [sample.value for sample in samples] == [1.0, 2.0, 3.0]
    assert len({str(sample.timestamp) for sample in samples}) == 3 and samples[0].labels["system"] == "fugaku"


def test_parquet_is_read_back(folder):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = parquet.read_table(write(folder, "parquet"))
    rows = [row for row in table.to_pylist() if row["phase"] is None]
    assert [row["time_s"] for row in rows[:3]] == pytest.approx(list(TIMES))
    assert json.loads(rows[0]["parameters"])["input"] == NASTY and rows[0]["ranks"] == 2


def test_parquet_without_pyarrow_is_one_clear_line(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UserError, match="pyarrow is not installed.*pip install pyarrow"):
        write(folder, "parquet")
    assert not (folder / "out.parquet").exists()


def test_benchkit_results_have_the_fields_of_its_results(folder):
    write(folder, "benchkit")
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("out*.benchkit"))]
    first = next(one for one in found if "input" in one["Exp"])
    assert len(found) == 2 and set(first) == {
        "code", "system", "FOM", "FOM_unit", "FOM_version", "Exp", "node_count", "numproc_node", "nthreads",
        "description", "confidential", "source_info", "fom_breakdown",
    }  # fmt: skip
    assert (first["code"], first["system"], first["FOM_unit"]) == ("heat", "node1", "s")
    assert float(first["FOM"]) == pytest.approx(1.0) and first["numproc_node"] == "2"
    assert set(first["Exp"]) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
    assert first["source_info"]["commit_hash"] == "a" * 40
    assert [one["name"] for one in first["fom_breakdown"]["sections"]] == [
        "sweep",
        "halo",
        "other",
        "wait_for_others",
    ]


def test_what_cannot_be_written_is_told_and_leaves_nothing(folder):
    with pytest.raises(UserError, match="there is no format xml"):
        write(folder, "xml")
    with pytest.raises(UserError, match="nothing to write as openmetrics"):
        write(folder, "openmetrics", program="waves")
    with pytest.raises(UserError, match="there is no such folder"):
        command.answer(Request(folder / "x", results=folder / "gone"))
    (folder / "taken").mkdir()
    with pytest.raises(UserError, match="cannot write"):
        command.answer(Request(folder / "taken", results=folder / "results"))
    assert {path.name for path in folder.iterdir()} == {"results", "taken"}


def test_selectors_choose(folder):
    rows = write(folder, "csv", select="date=2026-03-02").read_text()
    assert rows.count("heat-000000") == 5 and "2026-03-01T" not in rows


def test_the_command_writes(folder):
    if not app.registered_commands:
        register_commands()
    words = [
        "export",
        "heat",
        "--format",
        "csv",
        "-o",
        str(folder / "x.csv"),
        "--results",
        str(folder / "results"),
        "--json",
    ]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["launches"] == 6 and (folder / "x.csv").is_file()
