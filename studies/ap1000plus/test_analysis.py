"""A study from schedules to rows and page, with the built replay engine."""

import dataclasses
import json
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.foretell.replay.engine import Engine
from hakaru.studies import load
from hakaru.studies.analyses import Context, part
from hakaru.studies.fixtures import table_five, with_rows, with_settings
from hakaru.studies.study_page import page

FOLDER = Path(__file__).parent
analysis = part(FOLDER)
run = analysis.run

RANKS = 8


@pytest.fixture
def context(tmp_path):
    def schedule_of(program):
        path = tmp_path / f"{program.program}.json"
        path.write_text(json.dumps(table_five(program.program, RANKS)))
        return path

    return Context(Engine(native.tool("hakaru_replay"), tmp_path / "kept"), schedule_of)


def study(*names, beyond=False):
    whole = load("ap1000plus")
    programs = tuple(one for one in whole.programs if one.application in names)
    asked = dataclasses.replace(whole, programs=programs)
    return asked if beyond else with_settings(asked, beyond=None)


def test_fitted_rows_are_reached_and_predicted_ones_follow(context):
    result = run(study("EP", "SCG", "TOMCATV"), context)
    rows = {row.id: row for row in result.rows}
    assert rows["table4/EP/ap1000plus"].ours == pytest.approx(8.0)
    assert {rows[f"table4/EP/{name}"].kind for name in ("ap1000plus", "ap1000-supersparc")} == {"fitted"}
    for name in ("SCG", "TOMCATV"):
        assert rows[f"table4/{name}/ap1000-supersparc"].kind == "fitted"
        assert abs(rows[f"table4/{name}/ap1000-supersparc"].error) < 1e-3
        assert rows[f"table4/{name}/ap1000plus"].kind == "prediction"
        assert rows[f"table4/{name}/ap1000plus"].ours > rows[f"table4/{name}/ap1000-supersparc"].ours
    assert rows["table5/TOMCATV/sync"].ours == rows["table5/TOMCATV/sync"].published == 600
    assert rows["statements/gain"].kind == "fitted"
    assert "figure6/TOMCATV/run-time system" in rows and "figure6/SCG/run-time system" not in rows
    assert rows["table5/TOMCATV/sync"].kind == "measured"


def test_a_wrong_published_number_shows_as_an_error(context):
    asked = study("SCG")
    before = run(asked, context).summary[0]
    rows = asked.published.table("speedups").rows
    wrong = [row | {"ap1000plus": 4.0} if row["application"] == "SCG" else row for row in rows]
    result = run(with_rows(asked, "speedups", wrong), context)
    assert result.summary[0] != before
    assert {row.id: row for row in result.rows}["table4/SCG/ap1000plus"].error > 0.5


def test_what_the_publication_left_open(context):
    asked = study("TOMCATV", "MatMul", "SCG", beyond=True)
    result = run(asked, context)
    rows = {row.id: row for row in result.rows}
    words = asked.settings.beyond.queue_words
    speeds = [rows[f"beyond/queue/MatMul/{one}"].ours for one in words]
    assert all(0 < speed <= 1.0 + 1e-9 for speed in speeds)
    assert rows["beyond/groups/SCG/16/rows, messages/ap1000plus"].ours == 1.0
    assert len(result.of("beyond/groups/SCG/64/")) == 10
    assert rows["beyond/links/MatMul"].ours >= 1.0 - 1e-9
    assert rows["beyond/modern/TOMCATV/full nodes/gain of hardware PUT"].ours >= 1.0
    assert all(row.published is None for row in result.of("beyond/"))
    text = page(asked, result, "hakaru study ap1000plus")
    assert text.count("<svg") >= 4 and "Assumed or fitted, not published" in text
    assert "Rows that were fitted hold no information" in text
    assert text == page(asked, result, "hakaru study ap1000plus")


def test_a_machine_that_is_not_there_is_named(context):
    asked = study("SCG")
    with pytest.raises(UserError, match="asks for a machine 'ap2000'"):
        run(with_settings(asked, base="ap2000"), context)
