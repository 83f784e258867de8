"""Layouts with an engine of closed form: computing, forks, and detours at their mean."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.replays import Replayed

FOLDER = Path(__file__).parent
hybrid = part(FOLDER)

ITERATIONS = 10


@dataclass
class Loop:
    """A schedule of one sweep an iteration."""

    flops: float = 34.0 * 510 * 100 * ITERATIONS  # 100 rows
    links: str = "none"
    asked: list = field(default_factory=list)

    def timed(self, network, options):
        """Computing, regions and the mean of detours; keeps what it was asked."""
        self.asked.append(options)
        work_s = self.flops / options.roofline.flop_rate + ITERATIONS * (options.fork_s or 0.0)
        detours = options.noise.detours if options.noise else ()
        lost = sum(one.rate_per_s * one.detour_s for one in detours)
        return Replayed(work_s * (1.0 + lost), {"compute": work_s})


@pytest.fixture
def study():
    return load("ssken-hybrid")


def layout(study, name):
    return next(one for one in study.settings.layouts if one.name == name)


def test_a_core_runs_at_the_published_rate(study):
    assert hybrid.core_rate(study) == 2428e6
    quiet = hybrid.options(study, Loop(), layout(study, "flat"), ITERATIONS)
    assert quiet.roofline.flop_rate == 2428e6 and quiet.fork_s is None


def test_regions_cost_by_sweep_by_row_and_by_barrier(study):
    cost = {
        name: hybrid.team_cost_s(study, Loop(), layout(study, name), ITERATIONS)
        for name in ("flat", "hybrid, sweeps in threads", "hybrid, rows in threads", "hybrid, rows, software barrier")
    }  # fmt: skip
    assert list(cost.values()) == pytest.approx([0.0, 0.3e-6, 30e-6, 300e-6])


def test_noise_of_a_node_is_what_was_published_whoever_is_interrupted(study):
    for name, ranks in (("flat", 4), ("hybrid, sweeps in threads", 1)):
        bench = Loop()
        hybrid.noisy(study, bench, {}, layout(study, name), ITERATIONS, 1e-3)
        assert len({one.noise.seed for one in bench.asked}) == len(hybrid.SEEDS)
        of_rank = bench.asked[0].noise.detours[0]
        assert ranks * of_rank.rate_per_s * of_rank.detour_s == pytest.approx(0.0025)


def test_a_core_that_is_kept_free_takes_the_noise(study):
    bench = Loop()
    hybrid.noisy(study, bench, {}, layout(study, "hybrid, sweeps, a core kept free"), ITERATIONS, 1e-3)
    assert len(bench.asked) == 1 and bench.asked[0].noise is None
    assert bench.asked[0].roofline.flop_rate == 3 * 2428e6


@dataclass
class InStep(Loop):
    """A loop in which every iteration waits for the node that is interrupted last, and detours of all nodes come at once."""

    nodes: int = 1
    iterations: int = ITERATIONS

    def timed(self, network, options):
        """With the mean of Poisson's detours: a step is longer by one of them if any node meets one."""
        noise = options.noise
        self.asked.append(options)
        step_s = 34.0 * 510 * 100 / options.roofline.flop_rate + (options.fork_s or 0.0)
        if noise is None:
            return Replayed(step_s * self.iterations, {"compute": step_s})
        if noise.kind == "periodic":
            lost_s = step_s * noise.detour_s / (noise.period_s - noise.detour_s)
            if not noise.together:
                lost_s = step_s * ((1.0 - noise.detour_s / noise.period_s) ** -self.nodes - 1.0)
        else:
            (one,) = noise.detours
            lost_s = one.detour_s * (1.0 - math.exp(-self.nodes * one.rate_per_s * step_s))
        return Replayed((step_s + lost_s) * self.iterations, {"compute": step_s})


def test_a_run_takes_whole_periods_and_no_fewer_iterations_than_asked():
    iterations = hybrid.gathering.iterations
    assert iterations(300, 1e-3, 0.4, 1) == 400 and iterations(300, 2e-3, 0.4, 1) == 400
    assert iterations(300, 1e-3, 0.04, 3) == 320 and iterations(300, 0.0, 0.4, 1) == 300


def test_a_run_that_is_too_long_to_replay_is_left_out(study, monkeypatch):
    monkeypatch.setattr(hybrid, "bench_of", lambda *asked: InStep(iterations=asked[-1]))
    monkeypatch.setattr(hybrid, "network_of", lambda *_: {})

    def case(nodes, periods):
        length = hybrid.Stretch("1 ms", 1e-3, periods)
        return hybrid.gathered_case(study, None, None, nodes, layout(study, "flat"), length)

    assert case(1, 1) is not None
    assert case(10**6, 1) is None and case(1, 10**6) is None


@pytest.mark.parametrize("nodes", [1, 4096])
def test_gathered_daemons_take_their_share_and_scattered_ones_more_on_many_nodes(study, nodes, monkeypatch):
    monkeypatch.setattr(hybrid, "bench_of", lambda *asked: InStep(nodes=nodes, iterations=asked[-1]))
    monkeypatch.setattr(hybrid, "network_of", lambda *_: {})
    length = hybrid.Stretch("1 ms", 1e-3, 1)
    asked = layout(study, "hybrid, sweeps in threads")
    case = hybrid.gathered_case(study, None, None, nodes, asked, length)
    assert case.lost.mean("gathered") == pytest.approx(0.0025)
    step_s = 34.0 * 510 * 100 / (4 * 2428e6) + 0.3e-6
    assert case.quiet_s == pytest.approx(step_s)
    assert case.lost.mean("scattered") == pytest.approx(1.0025**nodes - 1.0)
    assert case.lost.mean("random") == pytest.approx(1e-3 / step_s * (1.0 - math.exp(-nodes * 2.5 * step_s)))
    assert case.iterations == round(0.4 / step_s)
    assert (case.lost.mean("random") > 2 * 0.0025) == (nodes > 1)
    assert [row.id for row in hybrid.gathering.rows([case])] == [
        f"gathering/{nodes}/hybrid, sweeps in threads/1 ms/{manner}"
        for manner in ("random", "scattered", "gathered")
    ]
    (said,) = hybrid.gathering.summary([case])
    assert "gathered 0.25 %" in said


def test_rows_and_summary_name_the_fastest(study):
    cases = {}
    for one in study.settings.layouts:
        quiet = Loop().timed({}, hybrid.options(study, Loop(), one, ITERATIONS))
        noisy = hybrid.noisy(study, Loop(), {}, one, ITERATIONS, 1e-3)
        cases[1, one.name] = hybrid.Case(1, one, ITERATIONS, {hybrid.QUIET: quiet, "1 ms": noisy})
    rows = {row.id: row for row in hybrid.rows(study, cases)}
    assert rows["noise/one node/share"].ours == pytest.approx(0.0025) and rows["noise/one node/share"].of == (
        hybrid.NOISE,
    )
    assert rows["iteration/1/flat/quiet"].of == ()
    said = hybrid.summary(study, hybrid.Result(), cases)
    assert said == ["1 node: fastest, quiet: hybrid, sweeps in threads; 1 ms: hybrid, sweeps in threads."]
