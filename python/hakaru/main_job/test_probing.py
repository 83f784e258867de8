"""What a disturbed machine's probes said is measured again, and never written while it contradicts itself."""

from types import SimpleNamespace

import pytest

from hakaru.facts.machines import Machine
from hakaru.facts.records import RecordStore
from hakaru.main_job import probing
from hakaru.run.campaign.plan import make_plan


def value(number, **keys):
    return {**keys, "value": number, "unit": "s", "source": "probe r"}


def tree(latency_s):
    facts = {"latency": value(latency_s), "pingpong": [value(2.05e-6, bytes=0)], "gap": [value(1e-7)]}
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026-01-01"}
    return head | {"network": {"core": facts}}


@pytest.fixture
def launches(monkeypatch):
    """Campaigns of a probe that is disturbed as often as ``disturbed`` says."""
    seen = SimpleNamespace(campaigns=[], disturbed=0)

    def run_plan(plan, store, campaign, progress):
        seen.campaigns.append((campaign, [run.program for run in plan.runs]))
        slow = len(seen.campaigns) <= seen.disturbed
        record = SimpleNamespace(program="messages", ok=True, tree=tree(4.0e-3 if slow else 2.0e-6))
        return SimpleNamespace(records=[record])

    monkeypatch.setattr(probing, "run_plan", run_plan)
    monkeypatch.setattr(probing, "require_complete", lambda outcome: None)
    monkeypatch.setattr(
        "hakaru.facts.machines.from_probes.all_of", lambda records, *_: Machine.of(records[0].tree)
    )
    return seen


def plan():
    runs = [{"program": "messages", "layouts": ["2x1"]}, {"program": "noise", "layouts": ["1x1"]}]
    return make_plan({"name": "probes", "runs": runs}, "test")


def test_only_the_disturbed_probe_runs_again(launches, tmp_path, capsys):
    launches.disturbed = 1
    _, path, refused = probing.probe_machine(RecordStore(tmp_path), plan(), campaign="c")
    assert launches.campaigns == [("c", ["messages", "noise"]), ("c-again-2", ["messages"])]
    assert refused == [] and Machine.load(path).number("network.core.latency") == 2.0e-6
    assert "disturbed: network.core.latency and " in capsys.readouterr().err


def test_contradictory_facts_are_not_written(launches, tmp_path, capsys):
    launches.disturbed = 100
    _, path, refused = probing.probe_machine(RecordStore(tmp_path), plan(), campaign="c")
    assert len(launches.campaigns) == 3 and refused
    assert Machine.load(path).parts("network.core") == ("gap",)
    assert "these facts are not written" in capsys.readouterr().err
