"""The study's tables from a made-up record, whose numbers are known."""

from pathlib import Path

import pytest

from hakaru.facts.records.fixtures import probed, table
from hakaru.studies.analyses import part
from hakaru.studies.study import load_folder

FOLDER = Path(__file__).parent
ROWS = [
    ("processes", "null call", 0, 1.8e-7),
    ("integer", "intgr add", 0, 5e-10),
    ("context-switch", "2p/0K ctxsw", 0, 1.22e-6),
    ("context-switch", "96p/64K ctxsw", 0, 9e-6),
    ("local-latency", "Pipe", 0, 4e-6),
    ("local-bandwidth", "Pipe", 10**6, 1e-3),
    ("file-vm", "10K File Create", 0, 1e-5),
    ("memory-parallelism", "1 load", 0, 1e-7),
    ("memory-parallelism", "8 loads", 0, 2e-8),
]


@pytest.fixture
def result():
    rows = [[group, item, i, size, value] for group, item, size, value in ROWS for i in range(7)]
    missing = table("missing", "group item why", [["local-latency", "RPC/TCP", "no portmapper answers"]])
    items = table("items", "group item sample bytes seconds", rows)
    places = table("places", "what value", [["cache line", "64"]])
    return part(FOLDER).beside(load_folder(FOLDER), probed("any", items, missing, places))


def row(result, name):
    return next(one for one in result.rows if one.id == name)


def test_published_numbers_stand_beside_ours_in_si_units(result):
    call = row(result, "processes/null call")
    assert (call.published, call.ours, call.unit) == (pytest.approx(9e-8), 1.8e-7, "s")
    assert call.error == pytest.approx(1.0)
    pipe = row(result, "local-bandwidth/Pipe")
    assert (pipe.published, pipe.ours, pipe.unit) == (pytest.approx(1.676e9), pytest.approx(1e9), "B/s")


def test_what_is_derived_is_shown_as_the_summary_shows_it(result):
    assert row(result, "basic/Mhz").ours == pytest.approx(2e9)
    assert row(result, "basic/mem par").ours == pytest.approx(5.0)
    assert row(result, "basic/cache line bytes").ours == 64.0
    assert row(result, "local-latency/2p/0K ctxsw").ours == 1.22e-6


def test_the_tables_have_the_order_of_the_summary(result):
    study = load_folder(FOLDER)
    published = [table.title for table in study.published.tables if table.id in study.settings.tables]
    assert [section.title for section in result.sections][: len(published)] == published
    for name in study.settings.tables:
        ours = [one.id.split("/", 1)[1] for one in result.of(f"{name}/")]
        assert ours == [cells["name"] for cells in study.published.table(name).rows]


def test_what_is_not_measured_is_told(result):
    assert row(result, "processes/stat").ours is None
    told = {section.title: section.lines for section in result.sections}
    assert told["Not measured here"] == [["local-latency", "RPC/TCP", "no portmapper answers"]]
    assert ["file-vm", "10K File Create"] in [line[:2] for line in told["Beyond the listing"]]
    assert [line[0] for line in told["Context switches here"]] == ["2p", "96p"]
    assert any(
        line[1] == "not measured" or line[2] == "not measured" for line in told["Basic system parameters"]
    )


def test_the_summary_names_the_largest_difference(result):
    assert "published ones are measured here" in result.summary[0]
    assert "local-latency/2p/0K ctxsw" not in result.summary[1]
    assert result.summary[1].startswith("The largest difference is integer/intgr add")
