"""Advice: what can be run, what it is predicted to take, which differences are none, and why the best wins."""

import dataclasses
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts import programs
from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.machines.fact import Fact
from hakaru.facts.records import RecordStore, fixtures
from hakaru.foretell.advise import calibrating, candidates, command, predict, ranking
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.advise.predict import Adviser, Predicted
from hakaru.foretell.replay.engine import engine
from hakaru.run.campaign.plan import Layout

CLUSTER = "fat-tree-100g"


def machine():
    return Machine.load(known_machines()[CLUSTER])


def slow_to_start():
    start = Fact(value=1e-3, unit="s", source="test", keys={"threads": 4})
    return machine().with_facts("threads.parallel", [start])


def predicted(name="a", times=(1.0, 0.9, 1.1), ranks=4, threads=1, **changes):
    one = Candidate(1, ranks, threads, source=name)
    return dataclasses.replace(
        Predicted(one, times, 0.8 * times[0], 0.2 * times[0], 0.0, 0.0, 12, 1200, 1e6, "roofline"), **changes
    )


def test_nodes_are_halved_and_cores_are_split():
    assert candidates.node_counts(12) == [12, 6, 3, 1]
    assert candidates.splits(2, fewer=True) == [(2, 1), (1, 2), (1, 1)]
    assert candidates.splits(6, fewer=False) == [(6, 1), (4, 1), (3, 2), (2, 3), (1, 6)]


def test_parameters_that_change_communication_are_varied():
    described = programs.named("turbulence").describe()
    assert candidates.varied(described, {}, []) == {"transposition": ["alltoall", "put"]}
    assert candidates.varied(described, {"transposition": "put"}, ["flow=abc,random"]) == {
        "flow": ["abc", "random"]
    }
    with pytest.raises(UserError, match="no parameter 'speed'"):
        candidates.varied(described, {}, ["speed"])
    with pytest.raises(UserError, match="'n' has no list of values"):
        candidates.varied(described, {}, ["n"])


@pytest.mark.parametrize("word", ["alltoall", "=pairwise", "alltoall="])
def test_algorithms_must_be_named(word):
    with pytest.raises(UserError, match="not understood"):
        candidates.algorithms([word])


def test_layouts_that_cannot_run_are_left_out_with_their_reason():
    found = candidates.family("turbulence", {"n": "64", "steps": "1"}, machine(), 2, 32)
    assert all(one.ranks <= 32 for one in found.candidates)
    assert any("dealt out to 64 ranks" in text for text in found.left_out)
    alone = [one for one in found.candidates if one.ranks == 1 and one.threads == 1]
    assert len(alone) == 1, "one rank sends nothing, so its ways of sending are one"
    assert {one.mapping for one in found.candidates if one.nodes == 2 and one.ranks_per_node > 1} == {
        "block",
        "cyclic",
    }
    poor = machine().with_fact("memory.capacity", 1e6)
    assert candidates.family("turbulence", {"n": "64"}, poor, 1, 2).candidates == []
    assert (
        "most-ranks"
        in candidates.family("turbulence", {"n": "64"}, machine(), 1, 2, most_ranks=1).left_out[0]
    )


def test_a_machine_must_say_its_cores():
    with pytest.raises(UserError, match=r"processor\.cores"):
        candidates.family("heat", {}, Machine.of({"name": "m"}), 1)


def adviser(tmp_path, **changes):
    return dataclasses.replace(Adviser(engine(None), machine(), tmp_path), **changes)


def test_predictions_follow_the_replay(tmp_path):
    wanted = [
        Candidate(1, 1, 1),
        Candidate(2, 1, 1),
        Candidate(1, 1, 44),
        Candidate(2, 4, 1),
        Candidate(2, 4, 1, "cyclic"),
    ]
    one, two, threads, block, cyclic = adviser(tmp_path).predict_all(
        "turbulence", {"n": "32", "steps": "1"}, wanted
    )
    assert one.messages < two.messages and two.message_bytes > 0
    assert two.compute_s == pytest.approx(one.compute_s / 2, rel=0.02)
    assert threads.compute_s < one.compute_s
    assert block.time_s != cyclic.time_s and block.messages == cyclic.messages


def record(steps, seconds, threads=1):
    """A verified run of turbulence on one rank that took so long."""
    described = programs.named("turbulence").describe({"n": "32", "steps": str(steps)}, 1, threads)
    return fixtures.record(
        "turbulence",
        steps,
        [{"wall_s": seconds, "rank_s": [seconds], "phases": {"fft": [seconds]}}],
        environment={},
        layout=fixtures.layout(1, threads),
        parameters=described.evaluated.parameters,
        work=described.evaluated.as_dict(),
        phases=[{"name": phase.name, "kind": phase.kind} for phase in described.phases],
    )


def test_a_layout_that_was_run_is_corrected_by_its_run(tmp_path, monkeypatch):
    """Runs of 2 steps foretell 10 steps as five times as long, whatever the facts say."""
    monkeypatch.setattr(
        "hakaru.foretell.models.relevance.launch_phases", lambda one, **_: {"fft": one.wall_s}
    )
    here = adviser(tmp_path, records=[record(2, 0.2)], measured_on=machine())
    found = here.predict_all("turbulence", {"n": "32", "steps": "10"}, [Candidate(1, 1, 1)])[0]
    assert found.time_s == pytest.approx(1.0, rel=0.02)
    elsewhere = dataclasses.replace(here, machine=machine().named("other"))
    assert (
        elsewhere.predict_all("turbulence", {"n": "32", "steps": "10"}, [Candidate(1, 1, 1)])[0].time_s
        > found.time_s
    )


def test_what_is_outside_of_phases_is_once_for_a_run(tmp_path, monkeypatch):
    """Of 2 steps in 0.5 s, 0.3 s are the initial state: 10 steps take 5 x 0.2 s and 0.3 s again."""
    monkeypatch.setattr(
        "hakaru.foretell.models.relevance.launch_phases", lambda one, **_: {"fft": 0.2, "other": 0.3}
    )
    here = adviser(tmp_path, records=[record(2, 0.5)], measured_on=machine())
    found = here.predict_all("turbulence", {"n": "32", "steps": "10"}, [Candidate(1, 1, 1)])[0]
    assert found.time_s == pytest.approx(1.3, rel=0.02)


def test_starting_threads_costs_time(tmp_path):
    dear = slow_to_start()
    parameters, wanted = {"n": "32", "steps": "1"}, [Candidate(1, 1, 4)]
    cheap = adviser(tmp_path).predict_all("turbulence", parameters, wanted)[0]
    found = adviser(tmp_path, machine=dear).predict_all("turbulence", parameters, wanted)[0]
    assert cheap.fork_s == 0.0 and found.time_s == pytest.approx(cheap.time_s + found.fork_s)
    assert found.fork_s == pytest.approx(1e-3 * 60)


def test_runs_with_one_thread_hold_no_start_of_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "hakaru.foretell.models.relevance.launch_phases", lambda one, **_: {"fft": one.wall_s}
    )
    dear = slow_to_start()
    parameters, wanted = {"n": "32", "steps": "2"}, [Candidate(1, 1, 4)]
    both = [
        adviser(tmp_path, machine=one, records=[record(2, 0.2)], measured_on=one).predict_all(
            "turbulence", parameters, wanted
        )[0]
        for one in (machine(), dear)
    ]
    assert both[1].time_s == pytest.approx(both[0].time_s + both[1].fork_s) and both[1].fork_s > 0.1


def test_traces_of_a_program_are_ranked(tmp_path):
    files = []
    for ranks in (1, 4):
        path = tmp_path / f"{ranks}.json"
        programs.named("turbulence").write_schedule(path, {"n": 32, "steps": 1}, ranks)
        files.append(str(path))
    found = adviser(tmp_path).predict_traces([f"{files[0]}@4", files[1]], 1)
    assert [(one.candidate.ranks, one.candidate.threads) for one in found] == [(1, 4), (4, 1)]
    with pytest.raises(UserError, match="number of threads"):
        predict.split_threads("a@b")


def test_what_is_surely_slower():
    best = predicted()
    assert not ranking.surely_slower(predicted("b", (1.04, 0.95, 1.2)), best)
    assert not ranking.surely_slower(predicted("b", (1.2, 0.89, 1.4)), best), "at the good end it is faster"
    assert ranking.surely_slower(predicted("b", (1.1, 0.95, 1.2)), best)
    uncertain = predicted("b", (1.3, 1.2, 1.4), spread=(0.7, 1.4))
    assert not ranking.surely_slower(uncertain, best) and uncertain.low_s == pytest.approx(0.84)
    assert ranking.slower(uncertain, best)[0] == pytest.approx(1.4 / 1.1 * 0.7)
    shared = predicted("b", (1.2, 1.08, 1.32)), predicted("a", (1.0, 0.5, 2.0))
    assert ranking.slower(shared[0], shared[1]) == pytest.approx((0.66, 1.2, 2.16))


def test_the_ranking_says_why():
    hybrid = predicted("h", ranks=1, threads=4, messages=0, message_bytes=0)
    flat = predicted("f", (2.0, 1.8, 2.2), communicate_s=1.2, compute_s=0.8, memory_bytes=5e6)
    advice = ranking.rank("p", "m", [flat, hybrid], ["8 ranks: refused"])
    assert advice.best is hybrid and advice.close == 1
    assert "communicating and waiting takes 200 ms instead of 1.20 s" in advice.reasons[0]
    assert (
        "no messages instead of 12 messages of 100 B" in advice.reasons[0] and "memory" in advice.reasons[0]
    )
    told = advice.as_dict()
    assert told["best"]["name"] == hybrid.candidate.name and not told["too_close_to_call"]


def test_what_runs_showed_is_a_reason():
    flat = predicted("f", (2.0, 2.0, 2.0), compute_s=0.8, communicate_s=0.2, corrected_s=1.0)
    advice = ranking.rank("p", "m", [flat, predicted("h", ranks=1, threads=4)])
    assert "took +0.0 % and +100 % against their replays" in advice.reasons[0]


def test_too_close_to_call_is_said():
    hybrid, flat = predicted("h", ranks=1, threads=4), predicted("f", (1.03, 0.93, 1.12))
    slow = predicted("s", (3.0, 2.9, 3.1))
    advice = ranking.rank("p", "m", [slow, flat, hybrid])
    assert advice.close == 2 and "Flat and hybrid are too close to call" in advice.reasons[0]
    assert (
        any("wins over" in text for text in advice.reasons)
        and "too close to call: measure" in advice.reasons[-1]
    )
    assert [one.candidate.source for one in advice.ranked] == ["h", "f", "s"]


def test_calibration_takes_turns_and_failing_layouts_are_named(monkeypatch, tmp_path):
    wanted = [Candidate(1, 2, 1), Candidate(1, 1, 2)]
    assert calibrating.layouts_to_run(wanted, 2) == [Layout(1, 1), Layout(2, 1), Layout(1, 2)]
    assert calibrating.layouts_to_run(wanted, 1) == [Layout(1, 1)]
    order = []

    def perform(point, *_):
        order.append((point.layout.ranks, point.layout.threads))
        return fixtures.record("heat")

    monkeypatch.setattr(calibrating, "perform", perform)
    monkeypatch.setattr(calibrating, "usable_cores", lambda: 2)
    calibrating.run("heat", {"n": 64}, wanted, RecordStore(tmp_path), lambda _: None, launches=2)
    assert order == [(1, 1), (2, 1), (1, 2)] * 2
    own = dataclasses.replace(wanted[0], parameters=(("overlap", True),))
    assert calibrating.runs([own], 2) == [
        (Layout(1, 1), {}),
        (Layout(2, 1), {}),
        (Layout(2, 1), {"overlap": True}),
    ]
    failed = fixtures.record("heat").failed("no memory", 4, "")
    monkeypatch.setattr(calibrating, "perform", lambda *_: failed)
    with pytest.raises(UserError, match="no memory"):
        calibrating.run("heat", {"n": 64}, wanted, RecordStore(tmp_path), lambda _: None)


def test_the_command(tmp_path):
    from hakaru.cli import register_commands
    from hakaru.cli import root as app

    register_commands()
    words = [
        "advise",
        "heat",
        "n=128",
        "steps=2",
        "--nodes",
        "2",
        "--cores",
        "2",
        "--on",
        CLUSTER,
        "--results",
        str(tmp_path),
    ]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    times = [one["time_s"]["value"] for one in told["layouts"]]
    assert told["best"]["time_s"]["value"] == min(times) and told["reasons"]
    check(told)
    shown = CliRunner().invoke(app, words)
    assert "Run it: OMP_NUM_THREADS=" in shown.stdout and "Computing: " in shown.stdout


def check(told):
    import jsonschema

    law = json.loads((root() / "schema" / "advice.schema.json").read_text())
    jsonschema.Draft202012Validator(law).validate(told)


def test_nothing_to_advise_on(tmp_path):
    with pytest.raises(UserError, match="no program is named"):
        command.advise(command.Request([], 1, CLUSTER, results=str(tmp_path)))
    with pytest.raises(UserError, match="runs in no layout.*needs"):
        command.advise(command.Request(["turbulence", "n=4096"], 1, CLUSTER, results=str(tmp_path)))
    with pytest.raises(UserError, match="no program"):
        command.advise(command.Request([str(Path("nothing"))], 1, CLUSTER, results=str(tmp_path)))
