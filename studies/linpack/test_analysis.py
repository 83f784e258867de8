"""Samples of steps add up to runs whose steps are known; the fit, and what a damaged sum does."""

from pathlib import Path

import pytest

from hakaru.studies.analyses import part

FOLDER = Path(__file__).parent
sampling = part(FOLDER, "sampling")
NB = 200


def known(n: int, panels: int) -> float:
    """Steps that take a cubic's time in what is left, and a start that no step has."""
    total, left = 7.0, n
    for _ in range(panels or n // NB):
        total += 1e-9 * left**2 + 1e-6 * left + 0.01
        left -= NB
    return total


def steps(points: int = 6, window: int = 4, replay=known):
    return sampling.Steps(replay, NB, points, window)


@pytest.mark.parametrize("n", [60_000, 1_000_000])
def test_samples_add_up_to_every_step(n):
    assert steps().total_s(n) == pytest.approx(known(n, 0) - 7.0, rel=2.0 * NB / n + 1e-3)


def test_a_start_is_in_no_step():
    assert steps().step_s(50_000) == pytest.approx(1e-9 * 50_000**2 + 0.05 + 0.01, rel=0.01)


def test_a_sample_near_the_end_leaves_panels():
    asked = []
    steps(replay=lambda n, panels: asked.append((n, panels)) or float(panels)).step_s(30.0)
    assert all(panels * NB < n for n, panels in asked)


def test_steps_that_are_slower_are_seen():
    slower = steps(replay=lambda n, panels: 1.1 * known(n, panels))
    assert slower.total_s(60_000) == pytest.approx(1.1 * steps().total_s(60_000), rel=1e-9)


def test_operations_are_those_that_hpl_counts():
    assert sampling.operations(1000) == pytest.approx(2e9 / 3 + 1.5e6)
