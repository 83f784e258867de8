"""Recovery of known growth laws, and the rules by which a model is chosen."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hakaru.foretell.models import fit
from hakaru.foretell.models.candidates import CONSTANT, Candidate, Situation, propose
from hakaru.foretell.models.candidates.normal_form import size_term
from hakaru.foretell.models.fixtures import SIZES, TRUTHS, observed, solver_observed
from hakaru.foretell.models.growth import Growth
from hakaru.foretell.models.observations import Observation, Point
from hakaru.foretell.models.prediction import predict

CUBE = Candidate((size_term(3.0, 0),))


def series_of(observations, phase="solve"):
    points = [one.point for one in observations]
    return fit.series(
        points, [one.values(phase) for one in observations], [one.totals() for one in observations]
    )


@pytest.mark.parametrize("truth", TRUTHS)
def test_recovers_the_growth_law_without_noise(truth):
    for sizes in SIZES:
        prediction = predict(observed(TRUTHS[truth], sizes, 0.0, 0), Point(256.0), {"solve": "compute"})
        assert prediction.phases[0].model == truth
        assert prediction.time_s.value == pytest.approx(TRUTHS[truth](256.0), rel=1e-6)


@pytest.mark.parametrize("truth", TRUTHS)
def test_recovers_the_growth_law_with_one_per_cent_noise(truth):
    trials = 60
    found = Counter()
    errors = []
    for seed in range(trials):
        sizes = SIZES[seed % len(SIZES)]
        prediction = predict(
            observed(TRUTHS[truth], sizes, 0.01, seed), Point(2.0 * sizes[-1]), {"solve": "compute"}
        )
        found[prediction.phases[0].model] += 1
        errors.append(abs(prediction.time_s.value / TRUTHS[truth](2.0 * sizes[-1]) - 1.0))
    assert found.most_common(1)[0][0] == truth
    assert found[truth] >= 0.8 * trials
    assert np.median(errors) < 0.01


def test_every_file_of_candidates_is_found():
    points = tuple(
        one.point for one in solver_observed([(n, r, 1) for n in (32.0, 64.0, 96.0) for r in (1, 2)], 0.01, 1)
    )
    names = {one.name for one in propose(Situation("stencil", "compute", points, Point(128.0, 2, 1)))}
    assert {
        "c0",
        "c0 * N^3",
        "c0 + c1 * N^3 * log2(N)",
        "c0 * flops/cores",
        "c0 * messages/ranks",
        "c0 * N^2 + c1 * N^3",
    } <= names


def test_work_counts_win_over_the_same_power_of_the_size():
    observations = solver_observed([(n, 1, 1) for n in (32.0, 48.0, 64.0, 96.0)], 0.01, 3)
    work = {size: {"stencil": {"flops": 34.0 * size**3}} for size in (32.0, 48.0, 64.0, 96.0, 192.0)}
    prediction = predict(observations, Point(192.0, work=work[192.0]), {"stencil": "compute"})
    assert prediction.phases[0].model == "c0 * N^3" or "flops" in prediction.phases[0].model


def test_same_functions_count_once():
    observations = observed(TRUTHS["c0 * N^3"], SIZES[0], 0.01, 1)
    twin = Candidate((fit_term_twice(),))
    scored = fit.score([CUBE, twin], series_of(observations), Point(200.0))
    assert [one.candidate for one in scored] == [CUBE]


def fit_term_twice():
    from hakaru.foretell.models.candidates import Term

    return Term("twice N^3", lambda point: 2.0 * point.size**3)


def test_candidates_that_data_cannot_carry_are_left_out():
    two = series_of(observed(TRUTHS["c0 * N^3"], (32.0, 64.0), 0.0, 0))
    assert fit.usable(Candidate((CONSTANT, size_term(3.0, 0))), two, Point(128.0)) is None
    assert fit.usable(CUBE, two, Point(128.0)) is not None
    alike = Candidate((size_term(3.0, 0), fit_term_twice()))
    three = series_of(observed(TRUTHS["c0 * N^3"], (32.0, 48.0, 64.0), 0.0, 0))
    assert fit.usable(alike, three, Point(128.0)) is None


def test_simpler_candidate_within_one_standard_error_is_taken():
    def scored(terms, errors):
        return fit.Scored(Candidate((CONSTANT,) * terms), np.zeros((3, terms)), np.array(errors))

    best, simple, bad = (
        scored(2, [0.01, 0.02, 0.03]),
        scored(1, [0.011, 0.021, 0.031]),
        scored(1, [0.5, 0.5, 0.5]),
    )
    chosen, reason = fit.choose([best, simple, bad])
    assert chosen is simple and "simplest" in reason
    chosen, reason = fit.choose([best, bad])
    assert chosen is best and "best of 2" in reason


def test_held_out_errors_are_those_of_fits_without_the_point():
    observations = observed(TRUTHS["c0 + c1 * N^3"], SIZES[1], 0.03, 5)
    data = series_of(observations)
    both = Candidate((CONSTANT, size_term(3.0, 0)))
    relative = fit.usable(both, data, Point(200.0))
    errors = fit.held_out_errors(relative[None], data)[0]
    from scipy.optimize import nnls

    for index in range(len(observations)):
        others = [i for i in range(len(observations)) if i != index]
        weighted = fit.design(both, [data.points[i] for i in others]) / data.time_s[others, None]
        scale = np.linalg.norm(weighted, axis=0)
        coefficients = nnls(weighted / scale, np.ones(len(others)))[0] / scale
        alone = fit.design(both, [data.points[index]])[0] @ coefficients / data.time_s[index] - 1.0
        assert errors[index] == pytest.approx(alone, abs=1e-9)


def test_a_phase_that_hardly_counts_is_judged_against_the_run():
    data = fit.series([Point(1.0)], [[1e-6, 2e-6]], [[1.0, 1.0]])
    assert data.scale_s[0] == pytest.approx(fit.SMALL_PHASE)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0.05, 0.07, 0.12], 0.01),
        ([3.0, 12.0], 1.0),
        ([0.0512, 0.07], 1e-4),
        ([0.051234, 0.07], 0.0),
        ([3e-7, 5e-7], 0.0),
    ],
)
def test_digits_that_a_program_prints_are_seen(values, step):
    points = [Point(8.0 * (1 + index)) for index in range(len(values))]
    launches = [[value] for value in values]
    rounding = fit.series(points, launches, launches).rounding
    assert rounding == pytest.approx([step / 12.0**0.5 / value for value in values])


def test_rounded_times_leave_the_growth_open():
    """0.04 s + 0.0012 s N, to five digits and to two: the interval says which."""
    points = [Point(size) for size in (4.0, 9.0, 16.0, 25.0)]

    def width(times):
        observations = [
            Observation(point, ({"solve": time},) * 4) for point, time in zip(points, times, strict=True)
        ]
        found = predict(observations, Point(150.0), {"solve": "compute"}).usual_s
        return found.high / found.low

    assert width([0.04, 0.05, 0.06, 0.07]) > 1.3 * width([0.04481, 0.05081, 0.05922, 0.07003])


@pytest.mark.parametrize("counted", [2.0, 20000.0])
def test_a_count_that_no_run_changed_is_no_law(counted):
    """Waiting for others, which has no law: messages were the same in all runs."""
    generator = np.random.default_rng(5)
    observations = [
        Observation(
            Point(n, 2, 1, {"wait": {"messages": 2.0}}),
            tuple({"wait": 1e-5 * value} for value in generator.lognormal(0.0, 0.5, 7)),
        )
        for n in (192.0, 256.0, 320.0, 416.0, 512.0)
    ]
    made = predict(observations, Point(960.0, 2, 1, {"wait": {"messages": counted}}), {"wait": "idle"})
    assert made.time_s.value < 1e-4


ROWS = (1400.0, 7000.0, 14000.0)


def _solver(rows: float, counted: bool = True) -> Point:
    """A sparse matrix on two ranks; nobody counts messages of ``dots``, as on a single rank."""
    return Point(rows, 2, 1, {"product": {"flops": 100.0 * rows}, "dots": {"calls": 53.0}} if counted else {})


def _names(kind: str, target: Point, counted: bool = True, growth: Growth | None = None) -> set[str]:
    points = tuple(_solver(rows, counted) for rows in ROWS)
    return {one.name for one in propose(Situation("dots", kind, points, target, growth))}


def test_waits_for_others_grow_no_faster_than_work():
    bounded = _names("communicate", _solver(75000.0))
    assert {"c0", "c0 * N", "c0 + c1 * N^0.5"} <= bounded
    assert not {"c0 * N^1.5", "c0 + c1 * N^2.5", "c0 * N * log2(N)", "c0 * N + c1 * N^2"} & bounded
    assert bounded == _names("idle", _solver(75000.0))


@pytest.mark.parametrize(
    ("kind", "rows", "counted"),
    [("compute", 75000.0, True), ("communicate", 7000.0, True), ("communicate", 75000.0, False)],
    ids=["computing", "a smaller problem", "nothing counted"],
)
def test_other_times_grow_as_they_do(kind, rows, counted):
    assert "c0 + c1 * N^2.5" in _names(kind, _solver(rows, counted), counted)


def test_what_the_user_says_and_other_layouts_grow_as_they_do():
    assert _names("communicate", _solver(75000.0), growth=Growth(4.0, 0.0)) == {"c0 * N^4"}
    assert "c0 + c1 * N^2.5" in _names("communicate", replace(_solver(75000.0), ranks=4))


def test_restless_waits_of_small_problems_are_not_the_time_of_a_large_one():
    waits_s = ((0.5e-4, 1.3e-4, 2.2e-4), (3.5e-4, 4.5e-4, 9.4e-4), (1.0e-3, 1.7e-3, 2.5e-3))
    observations = [
        Observation(
            _solver(rows),
            tuple({"product": 1e-6 * rows, "dots": wait_s} for wait_s in some for _ in range(3)),
        )
        for rows, some in zip(ROWS, waits_s, strict=True)
    ]
    made = predict(observations, _solver(75000.0), {"product": "compute", "dots": "communicate"})
    dots = next(phase for phase in made.phases if phase.name == "dots")
    assert dots.time_s.value < 1.7e-3 * 75000.0 / 14000.0 * 1.1
