"""Samples of steps add up to runs whose steps are known; the fit, and what a damaged sum does."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hakaru.studies import load
from hakaru.studies.analyses import Context, part

FOLDER = Path(__file__).parent
sampling, jitter = part(FOLDER, "sampling"), part(FOLDER, "jitter")
analysis = part(FOLDER)
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


@dataclass
class Elimination:
    """Steps on nodes that wait for nobody (``loose``), or in every step for the one that lost most. Daemons at their mean."""

    loose: bool
    noises: tuple = (None,)
    window: int | None = None
    rate: float = 1.0
    nb: int = NB
    context: Context = field(default_factory=lambda: Context(None, None))

    @property
    def study(self):
        return load("linpack")

    def steps(self, rows, columns):
        def times_s(n, panels):
            return [known(n, panels) / self.rate * (1.0 + self.lost(one)) for one in self.noises]

        return steps(replay=times_s)

    def lost(self, noise):
        if noise is None:
            return 0.0
        if noise.kind == "periodic":
            more = 0.0 if self.loose or noise.together else 10.0 * noise.detour_s
            return noise.detour_s / (noise.period_s - noise.detour_s) + more
        (one,) = noise.detours
        return one.rate_per_s * one.detour_s + (0.0 if self.loose else 10.0 * one.detour_s)


@pytest.mark.parametrize("loose", [True, False])
def test_what_scattered_daemons_take_beyond_their_share_is_told(loose):
    fx1 = Elimination(loose)
    asked = fx1.study.settings.jitter
    found = analysis.jittered(fx1)
    assert [(one.run, one.length) for one in found] == [
        (run, length.name) for run in asked.cases for length in asked.lengths
    ]
    for one, length in zip(found, 2 * asked.lengths, strict=True):
        more = 0.0 if loose else 10.0 * length.length_s
        assert one.lost.mean("gathered") == pytest.approx(0.0024)
        for manner in ("random", "scattered"):
            assert one.lost.mean(manner) == pytest.approx(0.0024 + more)
        case = analysis.case_named(fx1.study.settings, one.run)
        n = analysis.order(fx1, case)
        at_rate_one = sampling.operations(n) / (steps().total_s(n) * analysis.peak(fx1.study, case))
        assert one.efficiency("gathered") == pytest.approx(at_rate_one), (
            "the fitted rate has the daemons in it"
        )
    assert [row.id for row in jitter.rows(found[:1])] == [
        "jitter/512/quiet/efficiency",
        *(
            f"jitter/512/100 us/{manner}{what}"
            for what in ("", "/efficiency")
            for manner in ("random", "scattered", "gathered")
        ),
    ]


def test_operations_are_those_that_hpl_counts():
    assert sampling.operations(1000) == pytest.approx(2e9 / 3 + 1.5e6)
