"""What-ifs by time, node-hours and joules, and the power of nodes by the meters of runs."""

import dataclasses

import pytest

from hakaru.facts.forecasts import Span
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import record
from hakaru.facts.records.power import Power, Reading
from hakaru.foretell.mix import ask, file, metered
from hakaru.foretell.mix.fixtures import foretell
from hakaru.foretell.mix.power import NodePower
from hakaru.foretell.mix.ranking import AS_IT_IS, orders
from hakaru.tell.mix import display

# One long job keeps the machine up: more nodes shorten nothing and only wait.
LONG = 'name = "m"\nnodes = 2\ncores = 1\n[[jobs]]\nname = "long"\nusual_s = 100\n[[jobs]]\nname = "short"\nusual_s = 10\ncount = 4\n'
POWER = "[power]\nbusy_w = 12\nidle_w = 6\n"


def answered(folder, text, **more):
    (folder / "mix.toml").write_text(text)
    return ask.answer_with(
        file.read(folder / "mix.toml"), folder, None, foretell, ask.Wanted(more_nodes=1.0), **more
    )


def by(result, name):
    return next(order for order in result.orders if order.by == name)


def test_more_nodes_take_no_less_time_and_more_joules(tmp_path):
    result = answered(tmp_path, LONG + POWER).result
    joules = by(result, "joules")
    assert [place.name for place in joules.places] == [AS_IT_IS, "100 % more nodes"]
    before, after = 2 * 100 * 6 + 140 * 6, 4 * 100 * 6 + 140 * 6
    assert joules.places[1].times.value == pytest.approx(after / before) and joules.places[1].sure
    for name in ("time", "node-hours"):
        assert [place.times.value for place in by(result, name).places] == pytest.approx([1.0, 1.0])
        assert not by(result, name).places[1].sure


def test_time_and_joules_need_not_agree(tmp_path):
    """Three jobs of 30 s on one node, or on two of which each takes as much when it waits as when it computes."""
    text = 'name = "m"\nnodes = 1\ncores = 1\n[[jobs]]\nusual_s = 30\ncount = 3\n[power]\nbusy_w = 12\nidle_w = 12\n'
    result = answered(tmp_path, text).result
    assert by(result, "time").places[0].name == "100 % more nodes"
    assert by(result, "joules").places[0].name == AS_IT_IS


def test_a_changed_power_changes_the_order():
    @dataclasses.dataclass
    class Drawn:
        makespan_s: float
        node_hours: float
        energy_j: float | None

    played = {"a": [Drawn(2.0, 1.0, 5.0)], "b": [Drawn(1.0, 3.0, 6.0)]}
    first = {order.by: order.places[0].name for order in orders(played, "")}
    assert first == {"time": "b", "node-hours": "a", "joules": "a"}
    played["a"][0].energy_j = 7.0
    assert {order.by: order.places[0].name for order in orders(played, "")}["joules"] == "b"


def test_without_a_power_there_is_a_reason(tmp_path, capsys):
    found = answered(tmp_path, LONG)
    joules = by(found.result, "joules")
    assert joules.places == () and "says what a node takes" in joules.unavailable
    display.show(found, None)
    said = capsys.readouterr().out
    assert "not available (neither the mix nor its machine" in said and "least node-hours: " in said


def test_the_table_is_in_the_order_that_is_asked_for(tmp_path):
    (tmp_path / "mix.toml").write_text(LONG + POWER)
    wanted = ask.Wanted(more_nodes=1.0, policies=True)
    found = ask.answer_with(file.read(tmp_path / "mix.toml"), tmp_path, None, foretell, wanted).result
    assert display.what_if_rows(found, "joules")[-1][0] == "100 % more nodes"
    assert [line.split(":")[0] for line in display.orders(found)] == [
        "least time",
        "least node-hours",
        "least joules",
    ]


def run(at, watts, program="heat"):
    reading = Reading(scope="node", source="ipmi dcmi", joules=20.0 * watts, watts=watts)
    rows = [{"wall_s": 1.0, "rank_s": [1.0], "phases": {}}]
    return record(program, at, rows).with_power(Power(seconds=20.0, readings=(reading,)))


def mix_of(tmp_path, jobs):
    (tmp_path / "mix.toml").write_text(f'name = "m"\nnodes = 2\ncores = 1\n[[jobs]]\n{jobs}')
    return file.read(tmp_path / "mix.toml")


def test_the_power_of_runs_here(tmp_path):
    store = RecordStore(tmp_path / "results")
    for at in range(5):
        store.write(run(at, 200.0 + at))
    found = metered.node_power(mix_of(tmp_path, 'program = "heat"\n'), store.folder)
    assert isinstance(found, NodePower) and found.busy.value == pytest.approx(202.0)
    assert "ipmi meters in 5 launches (of the node); idle nodes are counted as switched off" in found.source
    result = answered(tmp_path, LONG, power=found).result
    assert result.power_source == found.source and result.figures.energy_j.low < result.figures.energy_j.high


def test_runs_without_meters_say_why(tmp_path):
    assert "names no program" in metered.node_power(mix_of(tmp_path, "usual_s = 1\n"), tmp_path)
    said = metered.node_power(mix_of(tmp_path, 'program = "heat"\n'), tmp_path)
    assert "its starter looked for no meter" in said


def test_what_the_mix_says_counts(tmp_path):
    power = NodePower(Span(value=1.0, low=1.0, high=1.0), Span(value=0.0, low=0.0, high=0.0), "somebody")
    assert answered(tmp_path, LONG + POWER).result.power_source == "the mix file"
    assert answered(tmp_path, LONG, power=power).result.power_source == "somebody"
