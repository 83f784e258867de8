"""What a campaign says of the energy of its runs."""

import json

import pytest

from hakaru.facts.records.fixtures import record
from hakaru.facts.records.power import Power, Reading
from hakaru.run.campaign.plan import Layout, Point
from hakaru.run.campaign.runner import Outcome, PointState
from hakaru.tell.outcome import outcome_dict, show_outcome

WHY = "no RAPL counter of a package below /sys/class/powercap"


@pytest.fixture
def told(monkeypatch):
    """The outcome of three launches, each with such a power."""
    monkeypatch.setattr(Point, "label", property(lambda point: "heat 1 x 1"))

    def made(*powers):
        rows = [{"wall_s": 1.0, "rank_s": [1.0], "phases": {}}]
        good = [record("heat", number, rows).with_power(power) for number, power in enumerate(powers)]
        state = PointState(Point("heat", "run", (), Layout(1, 1), len(powers)), good)
        return Outcome("heat-1", [state], [], [], True)

    return made


def power(watts):
    reading = Reading(
        scope="package", source="powercap intel-rapl:0 package-0", joules=3.0 * watts, watts=watts
    )
    return Power(seconds=3.0, readings=(reading,))


def test_a_campaign_with_meters(told, capsys):
    outcome = told(power(50.0), power(60.0), power(70.0))
    [point] = json.loads(json.dumps(outcome_dict(outcome)))["points"]
    assert point["energy"]["watts"] == {"value": 60.0, "low": 50.0, "high": 70.0}
    assert point["energy"]["joules"]["value"] == 180.0 and point["energy"]["scope"] == "package"
    show_outcome(outcome, False)
    assert "180 J" in capsys.readouterr().out


def test_a_campaign_without_meters_says_why_once(told, capsys):
    outcome = told(*[Power(seconds=3.0, unavailable=WHY)] * 3)
    assert outcome_dict(outcome)["points"][0]["energy"] == {"unavailable": WHY}
    show_outcome(outcome, False)
    assert capsys.readouterr().out.count(f"energy: not available ({WHY})") == 1
