"""Layouts by node-hours and joules: other orders than by time, what is not known, and errors that layouts share."""

import dataclasses
import json
import math

import pytest
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.records.fixtures import layout, record
from hakaru.facts.records.power import Power, Reading
from hakaru.foretell.advise import costs, ranking
from hakaru.foretell.advise.by import JOULES, NODE_HOURS
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.advise.predict import Predicted
from hakaru.foretell.advise.test_advise import CLUSTER, check

SILENT = Machine.of({"name": "silent"})
ARCHER2 = Machine.load(known_machines()["archer2"])


def predicted(nodes, ranks_of_node, time_s, threads=1, spread=0.02):
    one = Candidate(nodes, ranks_of_node, threads)
    times = (time_s, (1.0 - spread) * time_s, (1.0 + spread) * time_s)
    return Predicted(one, times, 0.8 * time_s, 0.2 * time_s, 0.0, 0.0, 12, 1200, 1e6, "roofline")


def run(cores, watts, number):
    reading = Reading(
        scope="package", source="powercap intel-rapl:0 package-0", joules=9.0 * watts, watts=watts
    )
    rows = [{"wall_s": 1.0, "rank_s": [1.0] * cores, "phases": {}}]
    one = record("heat", number, rows, layout=layout(cores, 1))
    return one.with_power(Power(seconds=9.0, readings=(reading,)))


def runs(cores, watts, count=6):
    return [run(cores, watts * (1.0 + 0.01 * (at % 3)), 100 * cores + at) for at in range(count)]


FOUR_NODES, ONE_NODE = predicted(4, 8, 1.0), predicted(1, 8, 3.0)


def test_four_nodes_are_faster_and_one_costs_less():
    both = [FOUR_NODES, ONE_NODE]
    assert ranking.rank("p", "m", both).best is FOUR_NODES
    advice = ranking.rank("p", "m", both, by=NODE_HOURS)
    assert advice.best is ONE_NODE and advice.close == 1
    assert costs.node_hours(FOUR_NODES).value == pytest.approx(4.0 / 3600.0)
    assert "1.33 times as many" in advice.reasons[1] and "takes 3.00 times as long" in advice.reasons[2]


def test_an_estimate_by_a_fact_ranks_as_node_hours_do():
    """Its error is the same for all layouts, and leaves their ratio."""
    found = costs.powers([], None, ARCHER2, False)
    one, four = costs.with_energies([ONE_NODE, FOUR_NODES], found)
    assert one.energy.kind == "estimate" and "power.node_application of archer2" in one.energy.source
    watts = sorted(fact.value for fact in ARCHER2.facts("power.node_application"))
    assert one.energy.joules.low == pytest.approx(2.94 * watts[0])
    assert one.energy.joules.high == pytest.approx(3.06 * watts[-1])
    advice = ranking.rank("p", "m", [four, one], by=JOULES)
    assert advice.best is one and "an estimate" in advice.reasons[0]
    by_joules, by_hours = (ranking.dearer(four, one, by) for by in (JOULES, NODE_HOURS))
    assert by_joules == pytest.approx(by_hours)


def test_by_meters_fewer_cores_may_take_fewer_joules():
    """All eight cores take 2.5 times the power of two, and save half of the time."""
    eight, two = predicted(1, 8, 1.0), predicted(1, 2, 2.0)
    found = costs.powers([*runs(8, 250.0), *runs(2, 100.0)], None, SILENT, True)
    eight, two = costs.with_energies([eight, two], found)
    assert (eight.energy.kind, eight.energy.scope) == ("measured", "package")
    assert ranking.rank("p", "m", [eight, two]).best is eight
    advice = ranking.rank("p", "m", [eight, two], by=JOULES)
    assert advice.best is two and advice.close == 1
    assert "powercap meters in 6 launches" in advice.reasons[0]


def test_powers_that_are_not_sure_are_too_close_to_call():
    """1.25 times as many joules, with meters that were 30 % apart."""
    noisy = [run(8, watts, at) for at, watts in enumerate((180.0, 250.0, 340.0))]
    found = costs.powers([*noisy, *runs(2, 100.0)], None, SILENT, True)
    both = costs.with_energies([predicted(1, 8, 1.0), predicted(1, 2, 2.0)], found)
    advice = ranking.rank("p", "m", both, by=JOULES)
    assert advice.close == 2 and "too close to call by joules" in advice.reasons[-1]


def test_layouts_on_the_same_launches_share_their_error():
    found = costs.powers(runs(8, 250.0), None, SILENT, True)
    flat, hybrid = costs.with_energies([predicted(1, 8, 1.0), predicted(1, 2, 1.2, threads=4)], found)
    assert ranking.dearer(hybrid, flat, JOULES) == pytest.approx(ranking.slower(hybrid, flat))


def test_layouts_without_a_measured_power_are_left_out_with_a_word():
    found = costs.powers(runs(8, 250.0), None, SILENT, True)
    both = costs.with_energies([predicted(1, 8, 1.0), predicted(1, 2, 1.2)], found)
    advice = ranking.rank("p", "m", both, by=JOULES)
    assert len(advice.ranked) == 1 and "no run on as many cores of a node had a meter" in advice.left_out[0]


def test_ways_are_not_mixed():
    """Where a fact tells of all layouts and meters of some, the fact does."""
    found = costs.powers(runs(8, 250.0), None, ARCHER2, True)
    both = costs.with_energies([predicted(1, 8, 1.0), predicted(1, 2, 1.2)], found)
    assert {one.energy.kind for one in both} == {"estimate"}


def test_meters_of_another_machine_say_nothing():
    found = costs.powers(runs(8, 250.0), None, SILENT, False)
    assert not found.of_cores
    advice = ranking.rank("p", "m", costs.with_energies([ONE_NODE], found), why_not=found.why_not)
    assert advice.no_energy == "silent does not say the power of a node"
    assert advice.as_dict()["layouts"][0]["energy"] is None


def test_joules_that_nobody_knows_are_refused():
    with pytest.raises(UserError, match="cannot be ranked by joules .*silent does not say.*with a meter"):
        ranking.rank("p", "m", [ONE_NODE], by=JOULES, why_not="silent does not say the power of a node")


def test_damage_to_a_power_changes_the_order():
    eight, two = predicted(1, 8, 1.0), predicted(1, 2, 2.0)
    for watts, best in ((250.0, 2), (150.0, 8)):
        found = costs.powers([*runs(8, watts), *runs(2, 100.0)], None, SILENT, True)
        advice = ranking.rank("p", "m", costs.with_energies([eight, two], found), by=JOULES)
        assert advice.best.candidate.ranks == best


def test_an_interval_of_a_time_and_of_a_power():
    found = costs.powers(runs(8, 250.0), None, SILENT, True)
    [one] = costs.with_energies([predicted(1, 8, 1.0)], found)
    watts, joules = one.energy.watts, one.energy.joules
    assert math.log(joules.high / joules.value) == pytest.approx(
        math.hypot(math.log(watts.high / watts.value), math.log(1.02))
    )
    assert dataclasses.replace(one, energy=None).as_dict()["energy"] is None


def test_the_command(tmp_path):
    from hakaru.cli import register_commands
    from hakaru.cli import root as app

    register_commands()
    words = ["advise", "heat", "n=128", "steps=2", "--nodes", "2", "--cores", "2", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, [*words, "--on", "archer2", "--by", "joules", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    check(told)
    joules = [one["energy"]["joules"]["value"] for one in told["layouts"]]
    assert told["by"] == "joules" and told["best"]["energy"]["joules"]["value"] == min(joules)
    refused = CliRunner().invoke(app, [*words, "--on", CLUSTER, "--by", "joules"])
    assert isinstance(refused.exception, UserError) or refused.exit_code == 2
    shown = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*words, "--on", CLUSTER, "--by", "node-hours"])
    assert "node-hours" in shown.stdout and "Energy: not available" in shown.stdout
    assert CliRunner().invoke(app, [*words, "--by", "beauty"]).exit_code != 0
