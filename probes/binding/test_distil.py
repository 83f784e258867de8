"""Facts out of synthetic records whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate

distil = load_module(Path(__file__).with_name("distil.py"))
RATE = {"none": 8e9, "scatter": 1e10}
CALL_S = {"none": 9e-6, "scatter": 5e-6}


def make_record(hosts: tuple[str, ...] = ("a", "a"), oversubscribed: bool = False) -> dict:
    times = []
    for turn in range(7):
        noise = 1.0 + 0.01 * (turn - 3)
        for policy in RATE:
            times.append([policy, "triad", turn, 1e9 / RATE[policy] * noise, 1e9])
            times.append([policy, "alltoall", turn, CALL_S[policy] * noise, 100])

    def table(name: str, columns: str, rows: list) -> dict:
        return {
            "name": name,
            "columns": [{"name": one, "unit": "1"} for one in columns.split()],
            "rows": rows,
        }

    return {
        "id": "r1",
        "status": "ok",
        "command": "run",
        "layout": {"ranks": len(hosts), "oversubscribed": oversubscribed},
        "tables": [
            table("times", "policy program repetition seconds bytes", times),
            table("bindings", "policy rank host wanted bound seen", [["none", i, h, "0", "0", 0] for i, h in enumerate(hosts)]),
        ],
    }  # fmt: skip


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
