"""Facts out of synthetic records whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import layout, probed, table

distil = load_module(Path(__file__).with_name("distil.py"))
RATE = {"none": 8e9, "scatter": 1e10}
CALL_S = {"none": 9e-6, "scatter": 5e-6}


def make_record(hosts: tuple[str, ...] = ("a", "a"), oversubscribed: bool = False) -> Record:
    times = []
    for turn in range(7):
        noise = 1.0 + 0.01 * (turn - 3)
        for policy in RATE:
            times.append([policy, "triad", turn, 1e9 / RATE[policy] * noise, 1e9])
            times.append([policy, "alltoall", turn, CALL_S[policy] * noise, 100])

    bound = [["none", rank, host, "0", "0", 0] for rank, host in enumerate(hosts)]
    return probed(
        "r1",
        table("times", "policy program repetition seconds bytes", times),
        table("bindings", "policy rank host wanted bound seen", bound),
        layout=layout(len(hosts), 1, oversubscribed=oversubscribed),
    )


def test_facts_by_policy():
    tree = distil.distil([make_record()])
    rates = {one["policy"]: one["value"] for one in tree["memory"]["bandwidth_by_binding"]}
    calls = {one["policy"]: one["value"] for one in tree["network"]["core"]["alltoall_by_binding"]}
    assert rates == {policy: pytest.approx(value) for policy, value in RATE.items()}
    assert calls == {policy: pytest.approx(value) for policy, value in CALL_S.items()}
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    validate({**head, **tree})


def test_messages_between_hosts_are_no_facts_of_a_node():
    assert "network" not in distil.distil([make_record(("a", "b"))])


def test_ranks_that_share_processors_are_no_facts():
    assert distil.distil([make_record(oversubscribed=True)]) == {}
