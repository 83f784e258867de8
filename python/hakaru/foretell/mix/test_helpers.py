"""Work over processes: the same as without, and a helper that dies is said."""

import os
import signal

import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.mix.helpers import spread


@pytest.mark.parametrize("workers", [1, 2, 3, 9])
def test_answers_come_in_order(workers):
    assert spread(lambda number: number**2, 7, workers) == [number**2 for number in range(7)]


def test_a_helper_that_dies_is_said():
    def fatal(number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(UserError, match="a helper died"):
        spread(fatal, 6, 2)


def test_a_helper_that_fails_is_said(capfd):
    with pytest.raises(UserError, match="a helper died"):
        spread(lambda number: 1 // number, 4, 2)
