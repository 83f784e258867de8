"""Disturbed probes are run again; what stays contradictory is told and not written."""

from hakaru.facts.machines import Machine
from hakaru.facts.machines import settle as module
from hakaru.facts.machines.settle import ATTEMPTS, settle


class Probing:
    """Stands for probes: each measurement gives the next latency beside a ping-pong of 2.05 us."""

    def __init__(self, monkeypatch, *latencies_s):
        self.left, self.asked, self.said = list(latencies_s), [], []
        monkeypatch.setattr(
            "hakaru.facts.machines.from_probes.all_of", lambda records, *_: Machine.of(records[0].tree)
        )

    def record(self):
        return Record(self.left.pop(0))

    def again(self, probes, attempt):
        self.asked.append((probes, attempt))
        return [self.record()] if self.left else []

    def run(self):
        return settle({"messages": self.record()}, self.again, "m", self.said.append)


class Record:
    program = "messages"

    def __init__(self, latency_s):
        def value(number, **keys):
            return {**keys, "value": number, "unit": "s", "source": "probe r"}

        facts = {"latency": value(latency_s), "pingpong": [value(2.05e-6, bytes=0)], "gap": [value(1e-7)]}
        self.tree = {"network": {"core": facts}}


def test_an_undisturbed_probe_runs_once(monkeypatch):
    probing = Probing(monkeypatch, 2.0e-6)
    machine, refused = probing.run()
    assert refused == [] and probing.asked == [] and probing.said == []
    assert machine.number("network.core.latency") == 2.0e-6


def test_a_disturbed_round_is_repeated(monkeypatch):
    probing = Probing(monkeypatch, 4.0e-3, 2.0e-6)
    machine, refused = probing.run()
    assert refused == [] and probing.asked == [(["messages"], 2)]
    assert machine.number("network.core.latency") == 2.0e-6
    assert probing.said[0].startswith("disturbed: network.core.latency and ")


def test_what_stays_contradictory_is_refused(monkeypatch):
    probing = Probing(monkeypatch, *[4.0e-3] * ATTEMPTS)
    machine, refused = probing.run()
    assert [attempt for _, attempt in probing.asked] == [2, 3]
    assert machine.parts("network.core") == ("gap",)
    assert module.refusal(refused).startswith("disturbed: ")


def test_probes_that_may_not_run_again_are_refused_at_once(monkeypatch):
    probing = Probing(monkeypatch, 4.0e-3)
    machine, refused = probing.run()
    assert refused and machine.parts("network.core") == ("gap",)
