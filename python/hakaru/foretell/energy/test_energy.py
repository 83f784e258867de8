"""The energy of forecasts: by meters of runs, else by facts of the machine, else the reason why not."""

import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from hakaru.base.paths import root
from hakaru.facts.forecasts import Forecast, Span
from hakaru.facts.forecasts.energy import Amount
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.records.power import Power, Reading
from hakaru.foretell.energy.forecast import foretell
from hakaru.foretell.energy.measured import Watts, product, watts
from hakaru.foretell.forecast import make
from hakaru.foretell.forecast.fixtures import campaign, evaluated
from hakaru.foretell.forecast.fixtures import record as run_of

TIME = Span(value=10.0, low=9.0, high=12.0)
WHY = "no RAPL counter of a package below /sys/class/powercap"


def metered(record, power_w, scope="package", source="powercap intel-rapl:0 package-0"):
    reading = Reading(scope=scope, source=source, joules=power_w * 3.0, watts=power_w)
    return record.with_power(Power(seconds=3.0, readings=(reading,)))


def without(record):
    return record.with_power(Power(seconds=3.0, unavailable=WHY))


def drawn(seed, launches=20, median_w=100.0, spread=0.05, sizes=(64,)):
    """Runs whose power varies by ``spread``."""
    noise = np.random.default_rng(seed)
    return [
        metered(run_of(size, seed=at), median_w * math.exp(spread * noise.standard_normal()))
        for at in range(launches)
        for size in sizes
    ]


def test_the_interval_holds_as_many_launches_as_it_promises():
    held, count, noise = 0, 400, np.random.default_rng(1)
    for seed in range(count):
        amount = watts(drawn(seed, 8), 64.0).amount
        held += amount.low <= 100.0 * math.exp(0.05 * noise.standard_normal()) <= amount.high
    assert 0.91 <= held / count <= 0.985, "95 %, and the median errs a little more than the mean"


def test_a_narrower_interval_would_be_seen():
    held, count, noise = 0, 400, np.random.default_rng(1)
    for seed in range(count):
        amount = watts(drawn(seed, 8), 64.0).amount
        half = math.sqrt(amount.high / amount.low) ** 0.5
        held += amount.value / half <= 100.0 * math.exp(0.05 * noise.standard_normal()) <= amount.value * half
    assert held / count < 0.85


def test_the_middle_is_that_of_the_nearest_size():
    """A power that changes with the size widens the interval."""
    small, large = drawn(1, 5, 60.0, 0.01, (32,)), drawn(2, 5, 90.0, 0.01, (64,))
    found = watts(small + large, 128.0)
    assert found.amount.value == pytest.approx(90.0, rel=0.03)
    alone = watts(large, 128.0).amount
    assert found.amount.high / found.amount.low > 2.0 * alone.high / alone.low


@pytest.mark.parametrize("count", [1, 2])
def test_few_launches_give_no_interval(count):
    assert "an interval needs 3" in watts(drawn(1, count), 64.0)


def test_meters_of_different_scopes_are_not_mixed():
    others = [metered(run_of(64, seed=at), 300.0, "node", "ipmi dcmi") for at in range(4)]
    found = watts(drawn(1, 6) + others, 64.0)
    assert (found.scope, found.meter, found.launches) == ("package", "powercap", 6)


def test_both_intervals_are_combined_as_independent_errors():
    power, time_s = Amount(value=100.0, low=90.0, high=115.0), Span(value=10.0, low=8.0, high=11.0)
    found = product(power, time_s)
    assert found.value == pytest.approx(1000.0)
    assert math.log(found.high / 1000.0) == pytest.approx(math.hypot(math.log(1.15), math.log(1.1)))
    assert math.log(1000.0 / found.low) == pytest.approx(math.hypot(math.log(1.0 / 0.9), math.log(1.25)))
    assert product(power, Span(value=10.0, low=0.0, high=11.0)).low == 0.0


def test_of_meters():
    found = foretell(drawn(3), evaluated(64), TIME, None)
    assert found.kind == "measured" and found.scope == "package"
    assert found.joules.value == pytest.approx(found.watts.value * 10.0)
    assert found.joules.low < found.joules.value < found.joules.high
    assert "by powercap meters in 20 launches" in found.words and "by meters" in found.words


def test_meters_of_another_layout_say_nothing_of_this_one():
    found = foretell(drawn(3), evaluated(64, ranks=8), TIME, None)
    assert not found.known and found.words.startswith("energy: not available (")


def machine(*power_w):
    facts = [Fact(value=value, unit="W", source="somebody, 2020") for value in power_w]
    return Machine.of({"name": "there"}).with_facts("power.node_application", facts)


def test_an_estimate_is_marked_as_one():
    found = foretell([without(one) for one in campaign()], evaluated(64), TIME, machine(300.0, 400.0, 350.0))
    assert found.kind == "estimate" and found.scope == "node" and "an estimate" in found.words
    assert (found.joules.low, found.joules.value, found.joules.high) == (2700.0, 3500.0, 4800.0)
    assert "power.node_application of there" in found.source


def test_a_fact_with_an_interval_widens_the_estimate():
    fact = Fact(value=300.0, low=250.0, high=380.0, unit="W", source="somebody, 2020")
    there = Machine.of({"name": "there"}).with_facts("power.node_application", fact)
    assert foretell([], evaluated(64), TIME, there).joules.high == 12.0 * 380.0


def test_meters_count_before_facts():
    assert foretell(drawn(3), evaluated(64), TIME, machine(5000.0)).kind == "measured"


def test_without_either_the_reason_is_that_of_the_runs():
    found = foretell([without(one) for one in campaign()], evaluated(64), TIME, machine())
    assert found.unavailable == WHY and found.words == f"energy: not available ({WHY})"


def valid(made: Forecast) -> bool:
    schema = json.loads((Path(root()) / "schema" / "forecast.schema.json").read_text())
    return not list(jsonschema.Draft202012Validator(schema).iter_errors(made.as_dict()))


def test_forecasts_say_their_energy():
    runs = [metered(one, 100.0 + at % 3) for at, one in enumerate(campaign())]
    made = make(runs, "solver", evaluated(128))
    assert made.energy.known and valid(made)
    assert made.energy.joules.low <= 100.0 * made.time_s.value <= made.energy.joules.high
    assert made.energy.words in made.statements()
    none = make([without(one) for one in campaign()], "solver", evaluated(128))
    assert none.energy.unavailable == WHY and valid(none)


def test_old_forecasts_are_read_as_they_were():
    made = make(campaign(), "solver", evaluated(128)).as_dict()
    del made["energy"]
    assert Forecast.of(made).energy is not None and not any(
        "energy" in line for line in Forecast.of(made).statements()
    )


def test_watts_have_their_source():
    assert (
        isinstance(watts(drawn(1), None), Watts)
        and watts(drawn(1), None).source == "powercap meters in 20 launches"
    )
