"""What threads and the system take, from a machine's facts to the engine's options."""

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay import noise, teams
from hakaru.foretell.replay.documents.options import Noise
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.question import Choices, Question
from hakaru.foretell.replay.source import Source


def fact(value, unit="s", **keys):
    return {**keys, "value": value, "unit": unit, "source": "test"}


def machine(**changes):
    threads = {
        "parallel": [fact(1e-6, threads=1), fact(2e-6, threads=2), fact(3e-6, threads=4)],
        "equal_work": {"imbalance": [fact(0.05, "1", threads=4)]},
    }
    detours = [fact(250.0, "1/s", length_s=2e-6), fact(1.0, "1/s", length_s=1e-3)]
    known = Machine.load(known_machines()["fx1"]).tree
    return Machine.of(known | {"threads": threads, "noise": {"detours": detours}} | changes)


def options(tree, tmp_path, threads=4, kind="schedule", **choices):
    """The engine's options, and what they rest on."""
    question = Question(
        Source(kind, tmp_path / "x", "x", ranks=4, threads=threads),
        Choices(**choices),
        Engine(tmp_path / "none", tmp_path),
    )
    asked = question.documents(tree, 4)
    return asked.options, asked.plan.told


def test_a_team_costs_its_start_and_its_slowest_thread(tmp_path):
    found, told = options(machine(), tmp_path)
    assert found.fork_s == 3e-6 and found.compute_factor == pytest.approx(1.05)
    assert {"threads.parallel", "threads.equal_work.imbalance"} <= {basis.fact for basis in told.facts}


def test_one_thread_and_a_trace_cost_nothing_more(tmp_path):
    for changes in ({"threads": 1}, {"kind": "trace"}):
        found, _ = options(machine(), tmp_path, **changes)
        assert found.fork_s is None and found.compute_factor == 1.0


def test_another_number_of_threads_takes_the_nearest_and_says_so():
    told = Told()
    assert teams.team(machine(), 8, told).fork_s == 3e-6
    assert "threads.parallel of 8 threads is that of 4" in told.assumed
    assert teams.team(machine(), 2, Told()).fork_s == 2e-6


def test_a_machine_that_does_not_say_it_is_told():
    told = Told()
    assert teams.team(machine(threads={}), 4, told) == teams.Team()
    assert any("no fact threads.parallel" in text for text in told.assumed)


def test_measured_noise_reaches_the_engine(tmp_path):
    found, told = options(machine(), tmp_path, threads=1, noise="machine", seed=5)
    assert found.noise.as_dict() == {
        "kind": "detours",
        "seed": 5,
        "detours": [{"rate_per_s": 250.0, "detour_s": 2e-6}, {"rate_per_s": 1.0, "detour_s": 1e-3}],
    }
    assert "noise.detours" in {basis.fact for basis in told.facts}


def test_a_rank_of_several_threads_is_interrupted_as_many_times():
    told = Told()
    found = noise.of_machine(machine(), 4, told)
    assert [one.rate_per_s for one in found.detours] == [1000.0, 4.0]
    assert any("any of 4 threads" in text for text in told.assumed)


@pytest.mark.parametrize(("asked", "calls"), [("machine", False), ("machine:calls", True)])
def test_detours_of_the_machine_strike_calls_when_asked(tmp_path, asked, calls):
    found, told = options(machine(), tmp_path, threads=1, noise=asked, seed=5)
    assert found.noise.kind == "detours" and found.noise.calls == calls
    of_calls = [text for text in told.assumed if "calls of MPI" in text]
    assert len(of_calls) == 1 and of_calls[0].startswith("only computing") != calls


def test_a_machine_without_detours_names_what_it_knows():
    with pytest.raises(UserError, match="does not say noise.detours.*0.0024 of the time.*probe noise"):
        noise.of_machine(Machine.load(known_machines()["fx1"]), 1, Told())
    with pytest.raises(UserError, match="nothing of it"):
        noise.of_machine(machine(noise={}), 1, Told())


def test_noise_of_the_machine_has_no_mean_to_set():
    with pytest.raises(UserError, match="the noise asked for is detours"):
        noise.noise("machine", 1e-6, None, Noise(kind="detours", detours=()))
