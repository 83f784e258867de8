"""Tables of the report: what they say of a machine whose probes saw different things."""

from hakaru.facts.machines import Machine
from hakaru.tell.explain import fixtures
from hakaru.tell.report.tables import machine_short


def rows(memory):
    return {
        row[0]: row[1] for row in machine_short(Machine.of(fixtures.machine_tree() | {"memory": memory})).rows
    }


def test_a_cache_whose_step_was_not_seen_has_its_reported_capacity():
    """One probe knows the bandwidth of an L3, while the other finds no step for it in the latency."""
    levels = [
        {"name": "L1", "latency": fixtures.fact(1e-9, "s"), "capacity": fixtures.fact(32768, "B")},
        {"name": "L3", "bandwidth": [fixtures.fact(1e11, "B/s", cores=1)]},
    ]
    unseen = [{"level": "L3", "value": 33554432.0, "unit": "B", "source": "operating system"}]
    assert (
        rows({"levels": levels, "levels_not_seen": unseen})["L3"]
        == "32 MiB, no step of its own in the latency"
    )
    assert rows({"levels": levels})["L1"] == "32 KiB, 1.00 ns a load"


def test_no_row_is_empty():
    found = rows({"levels": [{"name": "L3", "bandwidth": [fixtures.fact(1e11, "B/s", cores=1)]}]})
    assert "L3" not in found and all(found.values())
