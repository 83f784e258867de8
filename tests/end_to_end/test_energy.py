"""Real launches with meters that are made up: a counter that grows by 100 J in every second, and a node without any."""

import json
from dataclasses import replace

import jsonschema
import pytest

from hakaru.base.paths import root
from hakaru.facts.records import Record, RecordStore
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point
from hakaru.run.power import metering
from hakaru.run.power.command import VARIABLE
from hakaru.run.power.made_up import MadeUpNode
from hakaru.tell.measured.command import Request, measure

UPTIME = "awk '{printf \"%.2f J node\", 100 * $1}' /proc/uptime"  # which has steps of 10 ms
POINT = Point("template_app", "run", (("cells", 400000), ("steps", 400)), Layout(1, 1), 1, 3, 1)
LONG = replace(POINT, parameters=(("cells", 400000), ("steps", 100000)))
LONG_ENOUGH = replace(
    POINT, parameters=(("cells", 400000), ("steps", 2000))
)  # for a meter that says something of half a second


@pytest.fixture
def store(tmp_path):
    found = RecordStore(tmp_path / "results")
    found.prepare()
    return found


@pytest.fixture
def node(tmp_path, monkeypatch):
    """In place of this one's own meters."""
    made = MadeUpNode(tmp_path / "node")
    monkeypatch.setattr(metering, "Place", lambda: made.place)
    known = metering.meters
    monkeypatch.setattr(metering, "meters", lambda place=None: known(place or made.place))
    return made


def metered_by_uptime(node):
    node.variables[VARIABLE] = str(node.command("meter", UPTIME))


def valid(record: Record) -> bool:
    schema = json.loads((root() / "schema" / "record.schema.json").read_text())
    return not list(jsonschema.Draft202012Validator(schema).iter_errors(record.as_dict()))


def test_a_launch_with_a_meter(store, node):
    metered_by_uptime(node)
    perform(LONG_ENOUGH, store, None, None, 60.0)
    [record] = store.all()
    total = record.power.total
    assert record.ok and valid(record) and total.scope == "node"
    assert total.watts == pytest.approx(100.0, rel=0.1)
    assert total.joules == pytest.approx(total.watts * record.power.seconds)


def test_a_counter_that_stands_still_is_no_energy(store, node):
    node.variables[VARIABLE] = str(node.command("meter", "echo 5 J"))
    record = perform(LONG_ENOUGH, store, None, None, 60.0)
    assert record.ok and record.power.total is None and "did not move" in record.power.unavailable


def test_a_launch_without_a_meter_says_why(store, node):
    record = perform(POINT, store, None, None, 60.0)
    assert record.ok and valid(record) and record.power.readings == ()
    assert "no meter found: " in record.power.unavailable
    assert record.power.words.startswith("not available (")


def test_a_launch_that_fails_took_energy_too(store, node):
    metered_by_uptime(node)
    record = perform(LONG, store, None, None, 0.8)
    assert not record.ok and "took longer" in record.failure.reason and record.power.total.joules > 0.0


def test_anybody_s_program(node, tmp_path, monkeypatch, capsys):
    metered_by_uptime(node)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAKARU_RESULTS", str(tmp_path / "results"))
    assert measure(Request(("sleep", "0.7"), repeats=1, most_repeats=1, no_trace=True, as_json=True)) == 0
    [record] = RecordStore(tmp_path / "results").all()
    assert valid(record) and record.power.total.watts == pytest.approx(100.0, rel=0.1)
