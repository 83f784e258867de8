"""The whole answer: closed forms, intervals that follow the forecasts', what-ifs, the same bits on any number of workers."""

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.foretell.mix import ask, file
from hakaru.foretell.mix.fixtures import foretell, line
from hakaru.foretell.mix.kinds import Asked

ONE_NODE = 'name = "m"\nnodes = 1\ncores = 4\n'


def asked(
    tmp_path, text: str, wanted: ask.Wanted | None = None, machine: Machine | None = None
) -> ask.Answered:
    (tmp_path / "mix.toml").write_text(text)
    return ask.answer_with(
        file.read(tmp_path / "mix.toml"), tmp_path, machine, foretell, wanted or ask.Wanted()
    )


def test_known_times_have_a_known_answer(tmp_path):
    """Ten jobs of 30 s on two of four nodes, two at a time; 12 W busy, 2 W idle."""
    text = 'name = "m"\nnodes = 4\ncores = 1\n[[jobs]]\nusual_s = 30\nnodes = 2\ncount = 10\n'
    result = asked(tmp_path, text + "[power]\nbusy_w = 12\nidle_w = 2\n").result
    found = result.figures
    assert result.draws == 1, "there is nothing to draw"
    assert found.makespan_s == Span(value=150, low=150, high=150)
    assert found.jobs_per_hour.value == pytest.approx(240) and found.utilisation.value == pytest.approx(1.0)
    assert found.mean_wait_s.value == pytest.approx(60) and found.longest_wait_s.value == pytest.approx(120)
    assert found.energy_j.value == pytest.approx(4 * 150 * 12)
    assert found.node_hours.value == pytest.approx(600 / 3600)


def test_idle_nodes_take_what_idle_nodes_take(tmp_path):
    text = 'name = "m"\nnodes = 3\ncores = 1\n[[jobs]]\nusual_s = 30\n[power]\nbusy_w = 12\nidle_w = 2\n'
    assert asked(tmp_path, text).result.figures.energy_j.value == pytest.approx(30 * 12 + 2 * 30 * 2)


def test_the_interval_of_what_runs_usually_take_stays_and_that_of_any_one_averages_out(tmp_path):
    """100 jobs one after the other: usual_s +-10 % is the whole interval, time_s alone shrinks by sqrt(100)."""
    head = ONE_NODE + 'limits = "exceed"\n[[jobs]]\ncount = 100\n'
    usual = asked(tmp_path, head + "usual_s = {value = 1, low = 0.9, high = 1.1}\n").result.figures.makespan_s
    single = asked(
        tmp_path, head + "usual_s = 1\ntime_s = {value = 1, low = 0.9, high = 1.1}\n"
    ).result.figures.makespan_s
    assert (usual.high - usual.low) / usual.value == pytest.approx(0.2, rel=0.15)
    assert (single.high - single.low) / single.value == pytest.approx(0.2 / 10, rel=0.3)
    assert usual.low < 100 < usual.high


def test_mean_wait_at_random_arrivals_is_that_of_the_closed_form(tmp_path):
    """M/D/1 at half load: half a service time; the interval over draws holds it."""
    text = ONE_NODE + "draws = 40\n[[jobs]]\nusual_s = 36\ncount = 400\n[arrival]\nper_hour = 50\n"
    found = asked(tmp_path, text).result
    assert found.figures.mean_wait_s.low < 18.0 < found.figures.mean_wait_s.high
    assert found.figures.mean_wait_s.value == pytest.approx(18.0, rel=0.15)


def test_twice_the_nodes_take_half_as_long_and_other_layouts_what_their_forecasts_say(tmp_path):
    text = (
        'name = "m"\nnodes = 4\ncores = 4\n[[jobs]]\nprogram = "x"\nparameters = { n = 64 }\nlayouts = ["4x1"]\n'
        'instead = "1x2"\ncount = 40\nrepetitions = 10\nlimit_s = 1e6\n'
    )
    found = asked(tmp_path, text, ask.Wanted(more_nodes=1.0)).result
    more, other = found.what_if
    assert more.nodes == 8 and more.makespan.value == pytest.approx(0.5, rel=0.05)
    assert other.makespan.value == pytest.approx(2.0, rel=1e-6), (
        "twice as slow, draw by draw, with the same luck"
    )


def test_shared_nodes_hold_more_and_pairs_slow_them(tmp_path):
    """Two at a time beside each other, 1.5 times as long: 3/4 of the time of one after the other."""
    text = 'name = "m"\nnodes = 1\ncores = 4\nshared = true\ndraws = 2\n[[jobs]]\nname = "a"\nusual_s = 10\ncores = 2\ncount = 8\n'
    alone = asked(tmp_path, text).result.figures.makespan_s.value
    beside = asked(tmp_path, text + '[[pairs]]\njob = "a"\nbeside = "a"\nslower = 1.5\n').result.figures
    assert alone == pytest.approx(40.0) and beside.makespan_s.value == pytest.approx(60.0)


def test_the_same_bits_on_any_number_of_workers(tmp_path):
    text = (
        'name = "m"\nnodes = 8\ncores = 1\ndraws = 12\n[[jobs]]\nusual_s = {value = 9, low = 7, high = 12}\ncount = 2000\n'
        "[arrival]\nper_hour = 4000\n"
    )
    one, two = (asked(tmp_path, text, ask.Wanted(workers=workers)).result for workers in (1, 2))
    assert one == two
    assert one != asked(tmp_path, "seed = 2\n" + text).result


def test_a_log_is_replayed_as_it_was(tmp_path):
    (tmp_path / "a.swf").write_text("\n".join(line(k, 10 * k, 20, 2) for k in range(6)))
    found = asked(tmp_path, 'name = "m"\nnodes = 2\n[arrival]\nlog = "a.swf"\n').result
    assert (found.draws, found.jobs, found.nodes, found.cores) == (1, 6, 2, 1)
    assert found.figures.makespan_s.value == 120 and found.figures.longest_wait_s.value == 50
    assert found.kinds == () and [one.name for one in found.what_if] == ["50 % more nodes"]


def test_power_is_the_machines_where_nobody_writes_it(tmp_path):
    fact = {"unit": "W", "source": "made up"}
    machine = Machine.of(
        {"name": "toy", "power": {"node_hpl": {"value": 100.0, **fact}, "node_idle": {"value": 10.0, **fact}}}
    )
    found = asked(tmp_path, ONE_NODE + "[[jobs]]\nusual_s = 10\n", machine=machine).result
    assert found.figures.energy_j.value == pytest.approx(1000.0) and "power.node_hpl" in found.power_source
    assert asked(tmp_path, ONE_NODE + "[[jobs]]\nusual_s = 10\n").result.figures.energy_j is None


def test_what_cannot_be_is_said(tmp_path):
    with pytest.raises(UserError, match="does not say its nodes"):
        asked(tmp_path, 'name = "m"\n[[jobs]]\nusual_s = 1\n')
    (tmp_path / "a.swf").write_text(line(1, 0, 5))
    with pytest.raises(UserError, match="the log has 1 jobs .*the mix has 3"):
        asked(tmp_path, ONE_NODE + '[[jobs]]\nusual_s = 1\ncount = 3\n[arrival]\nlog = "a.swf"\n')
    with pytest.raises(UserError, match="20000 nodes are shared"):
        asked(tmp_path, 'name = "m"\nnodes = 20000\ncores = 2\nshared = true\n[[jobs]]\nusual_s = 1\n')
    with pytest.raises(UserError, match="on shared nodes"):
        asked(tmp_path, ONE_NODE + "shared = true\n[[jobs]]\nusual_s = 1\ncount = 60000\n")


def test_forecasts_are_asked_once_for_each_size_and_layout(tmp_path):
    seen: list[Asked] = []

    def counting(one: Asked):
        seen.append(one)
        return foretell(one)

    (tmp_path / "mix.toml").write_text(
        ONE_NODE
        + '[[jobs]]\nprogram = "x"\nparameters = { n = [1, 2] }\nlayouts = ["4x1", "2x2"]\ncount = 9\n'
    )
    ask.answer_with(file.read(tmp_path / "mix.toml"), tmp_path, None, counting, ask.Wanted(more_nodes=0.0))
    assert len(seen) == 4 and np.unique([one.ranks for one in seen]).tolist() == [2, 4]
