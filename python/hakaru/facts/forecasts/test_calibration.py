"""How often intervals of each level held."""

import msgspec
import pytest

from hakaru.facts.forecasts import Span
from hakaru.facts.forecasts.calibration import calibration
from hakaru.facts.forecasts.forecast import Band
from hakaru.tell.explain import fixtures


def made(measured_s: float):
    one = fixtures.scored(fixtures.forecast(1, 96, 2.0), measured_s, ["one"])
    bands = (Band(level=0.5, low=1.9, high=2.1), Band(level=0.8, low=1.8, high=2.2))
    return msgspec.structs.replace(one, usual_s=Span(value=2.0, low=1.5, high=2.5), bands=bands)


def test_each_level_is_counted_by_itself():
    found = calibration([made(2.0), made(2.15), made(2.4), made(3.0)])
    assert [(one.level, one.held, one.scored) for one in found] == [(0.5, 1, 4), (0.8, 2, 4), (0.95, 3, 4)]
    low, high = found[0].bounds()
    assert low == pytest.approx(0.0063, abs=1e-4) and high == pytest.approx(
        0.8059, abs=1e-4
    )  # Clopper and Pearson


def test_forecasts_without_a_score_say_nothing():
    assert calibration([msgspec.structs.replace(made(2.0), score=None)]) == []
