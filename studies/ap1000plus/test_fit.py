"""The rate that gives a published ratio."""

from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.studies.analyses import part

FOLDER = Path(__file__).parent
fit = part(FOLDER, "fit")
rate_of_ratio = fit.rate_of_ratio


def ratio_of(work: float, other_s: float, jump: float = 0.0):
    """(C + X) / (C / 8 + X) of C = work / rate; ``jump`` is added to X where the rate is above 2e6."""

    def ratio(rate: float) -> float:
        more = other_s + (jump if rate > 2e6 else 0.0)
        return (work / rate + more) / (work / rate / 8.0 + more)

    return ratio


@pytest.mark.parametrize("wanted", [1.5, 3.11, 5.19, 7.9])
def test_the_closed_form_is_found(wanted):
    rate = rate_of_ratio(ratio_of(1e7, 0.3), wanted, 8.0, 5e6)
    share = (wanted - 1.0) / (1.0 - wanted / 8.0)
    assert rate == pytest.approx(1e7 / (0.3 * share), rel=1e-3)


def test_a_ratio_that_jumps_is_approached():
    ratio = ratio_of(1e7, 0.3, 1.0)
    rate = rate_of_ratio(ratio, 6.0, 8.0, 5e6)
    assert abs(ratio(rate) / 6.0 - 1.0) <= abs(ratio(2e6 * 1.001) / 6.0 - 1.0)


@pytest.mark.parametrize("wanted", [0.9, 8.0, 9.0])
def test_ratios_that_no_rate_gives_are_refused(wanted):
    with pytest.raises(UserError, match="ratios are between 1 and 8"):
        rate_of_ratio(ratio_of(1e7, 0.3), wanted, 8.0, 5e6)
