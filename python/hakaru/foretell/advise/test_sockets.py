"""Ranks on sockets: where they may sit, what memory each gets, which distances lie between them, and how mpirun is told."""

import dataclasses

import pytest

from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.advise import candidates, ranking
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.advise.predict import Adviser
from hakaru.foretell.advise.sockets import Sockets
from hakaru.foretell.replay.engine import engine

SPREAD, FILLED = Candidate(1, 4, 1, sockets=2), Candidate(1, 4, 1)


def fact(value, unit="1", **keys):
    return {"value": value, "unit": unit, "source": "test", **keys}


def machine(**levels):
    """Two sockets of four cores; 80 GB/s of all cores, 30 of one, 60 of four; messages as given."""
    far = {"latency": fact(1e-6, "s"), "gap_per_byte": [fact(1e-10, "s/B")]}
    return Machine.of(
        {
            "schema": "hakaru/machine/1",
            "name": "two-sockets",
            "kind": "published",
            "date": "2026",
            "processor": {"cores": fact(8), "sockets": fact(2)},
            "compute": {"peak": [fact(1e12, "flop/s", cores=1), fact(8e12, "flop/s", cores=8)]},
            "memory": {
                "bandwidth": [
                    fact(gb * 1e9, "B/s", kernel="triad", cores=cores)
                    for cores, gb in ((1, 30), (4, 60), (8, 80))
                ]
            },
            "network": {name: levels.get(name, far) for name in ("core", "socket", "node")},
        }
    )


def predict(tmp_path, wanted, on, words=None):
    adviser = Adviser(engine(None), on, tmp_path)
    return adviser.predict_all("heat", words or {"n": "512", "steps": "2", "overlap": "false"}, wanted)


def test_spread_is_tried_where_it_is_something_else():
    two = Sockets.of(machine())
    assert (two.count, two.each) == (2, 4)
    assert two.bindings(4, 1) == ("compact", "scatter")
    assert two.bindings(2, 2) == ("compact", "scatter")
    assert two.bindings(8, 1) == two.bindings(2, 4) == ("compact",), "all cores are busy either way"
    assert two.bindings(1, 4) == two.bindings(3, 1) == ("compact",), "not as many on each"
    assert two.bindings(2, 8) == ("compact",), "a rank is larger than a socket"
    assert Sockets.of(machine().with_fact("processor.sockets", 1)) is None
    assert Sockets.of(machine().with_facts("processor.sockets", None)) is None


def test_memory_of_a_rank():
    """Four cores: 60 GB/s by their own fact, but one socket has 40."""
    two, on = Sockets.of(machine()), machine()
    assert two.bandwidth_share(on, 4, 1, "compact") == pytest.approx(40 / 60)
    assert two.bandwidth_share(on, 4, 1, "scatter") == 1.0
    assert two.bandwidth_share(on, 8, 1, "compact") == 1.0
    assert two.bandwidth_share(on, 1, 1, "compact") == 1.0, "one core does not reach what a socket has"
    assert two.bandwidth_share(on, 1, 8, "compact") == 1.0
    silent = on.with_facts("memory", None)
    assert two.bandwidth_share(silent, 4, 1, "compact") == 1.0


def test_a_program_bound_by_memory_is_spread(tmp_path):
    filled, spread = predict(tmp_path, [FILLED, SPREAD], machine())
    assert filled.compute_s / spread.compute_s == pytest.approx(60 / 40, rel=0.01)
    assert (filled.rank_bandwidth, spread.rank_bandwidth) == (pytest.approx(10e9), pytest.approx(15e9))
    advice = ranking.rank("heat", "two-sockets", [filled, spread])
    assert advice.best is spread
    assert "a rank gets 15.0 GB/s of memory instead of 10.0 GB/s" in advice.reasons[0]
    assert any("a socket has its share" in text for text in advice.assumed)


def test_a_program_bound_by_messages_fills_a_socket(tmp_path):
    slow = {"latency": fact(1e-3, "s"), "gap_per_byte": [fact(1e-9, "s/B")]}
    words = {"n": "64", "steps": "20", "overlap": "false"}
    filled, spread = predict(tmp_path, [FILLED, SPREAD], machine(socket=slow), words)
    assert spread.time_s > 5.0 * filled.time_s and spread.messages == filled.messages
    assert ranking.rank("heat", "two-sockets", [filled, spread]).best is filled


def test_where_nothing_differs_it_is_too_close_to_call(tmp_path):
    bandwidth = Fact(value=80e9, unit="B/s", source="test", keys={"kernel": "triad", "cores": 8})
    alike = machine().with_facts("memory.bandwidth", [bandwidth])
    filled, spread = predict(tmp_path, [Candidate(1, 2, 1), Candidate(1, 2, 1, sockets=2)], alike)
    lone = dataclasses.replace(filled, times_s=spread.times_s)
    advice = ranking.rank("heat", "two-sockets", [spread, lone])
    assert any("fill sockets and ranks spread over them are too close" in text for text in advice.reasons)


def test_mpirun_is_told():
    assert "--map-by ppr:4:node:PE=1" in FILLED.launch
    assert "--map-by ppr:2:socket:PE=1" in SPREAD.launch and "--bind-to core" in SPREAD.launch
    assert SPREAD.ways == ["spread over sockets"] and SPREAD.binding == "scatter"
    assert SPREAD.name != FILLED.name


def test_a_family_on_a_machine_of_two_sockets_has_both():
    on = Machine.load(known_machines()["fat-tree-100g"])
    found = candidates.family("heat", {"n": "512", "overlap": "false"}, on, 2, 22).candidates
    both = {one.binding for one in found if (one.nodes, one.ranks_per_node, one.mapping) == (2, 22, "cyclic")}
    assert both == {"compact", "scatter"}
    assert len({one.name for one in found}) == len(found)
