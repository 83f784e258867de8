"""Energies in explanations and in the page: of runs with meters, and the reason of those without."""

import json

import pytest

from hakaru.facts.records.power import Power, Reading
from hakaru.tell.explain import explain
from hakaru.tell.report import energy, write_report

WHY = "no RAPL counter of a package below /sys/class/powercap"


def metered(record, at):
    watts = 100.0 + at % 3
    reading = Reading(scope="node", source="ipmi dcmi", joules=20.0 * watts, watts=watts)
    return record.with_power(Power(seconds=20.0, readings=(reading,)))


@pytest.fixture(scope="module")
def with_meters(results):
    """Himeno's runs had meters, the others looked for them in vain."""
    records, *rest = results
    made = [
        metered(one, at) if one.program == "himeno" else one.with_power(Power(seconds=20.0, unavailable=WHY))
        for at, one in enumerate(records)
    ]
    return made, *rest


def test_energy_is_power_times_time(with_meters):
    layouts = [
        layout for case in explain(*with_meters).cases if case.program == "himeno" for layout in case.layouts
    ]
    assert layouts
    for layout in layouts:
        found = layout.energy
        assert (found.scope, found.meter, found.launches) == ("node", "ipmi", layout.launches)
        assert found.repetition_j.value == pytest.approx(found.watts.value * layout.wall.value, rel=0.03)
        assert found.joules.value == pytest.approx(20.0 * found.watts.value)


def test_the_page_says_both(with_meters, tmp_path):
    found = explain(*with_meters)
    text = write_report(tmp_path / "report.html", *with_meters).read_text()
    assert "Energy of runs" in text and "ipmi" in text
    [missing] = energy.missing(found)
    assert WHY in missing and "not available" in missing and missing in text
    assert all(row[0].startswith("himeno") for row in energy.table(found).rows)


def test_records_of_old_say_that_nobody_looked(results):
    found = explain(*results)
    assert energy.table(found) is None
    assert "its starter looked for no meter" in energy.missing(found)[0]


def test_the_explanation_has_them_for_machines(with_meters):
    [case] = [one for one in explain(*with_meters).as_dict()["cases"] if one["program"] == "himeno"][:1]
    told = json.loads(json.dumps(case))["layouts"][0]["energy"]
    assert told["scope"] == "node" and told["watts"]["low"] <= told["watts"]["value"] <= told["watts"]["high"]
