"""Facts, machine files, comparison."""

import re

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, fact, known_machines, problems, validate
from hakaru.facts.machines.compare import compare
from hakaru.facts.machines.files import resolve
from hakaru.facts.machines.from_probes import _cores
from hakaru.facts.records.record import Environment


def machine(**changes):
    tree = {
        "schema": "hakaru/machine/1",
        "name": "m",
        "kind": "measured",
        "date": "2026-01-01",
        "memory": {
            "bandwidth": [
                fact([1.0, 2.0, 3.0], "B/s", "r1", kernel="triad", cores=1),
                fact([5.0, 6.0, 7.0], "B/s", "r1", kernel="triad", cores=2),
            ],
            "levels": [{"name": "L1", "latency": fact([1e-9] * 6, "s", ["r2", "r3"])}],
        },
    }
    return tree | changes


def test_fact_is_the_median_with_its_interval_and_source():
    made = fact([3.0, 1.0, 2.0, 4.0, 5.0, 6.0], "s", ["a", "b"], cores=2)
    assert made == {
        "cores": 2,
        "value": 3.5,
        "unit": "s",
        "low": 1.0,
        "high": 6.0,
        "samples": 6,
        "source": "probe a, b",
    }
    assert fact(1.5, "s", "a", low=1.0, high=2.0)["high"] == 2.0
    assert fact("AMD", None, "a") == {"value": "AMD", "source": "probe a"}
    for bad in ([float("nan")], [], [float("inf")]):
        with pytest.raises(ValueError):
            fact(bad, "s", "a")


def test_find_and_walk_see_nested_arrays():
    found = Machine.of(machine())
    assert found.find("memory.bandwidth", cores=2).value == 6.0
    assert found.find("memory.bandwidth", cores=3) is None
    assert found.find("memory.levels[L1].latency").value == 1e-9
    assert sum(1 for _ in found.walk()) == 3


def test_file_round_trip(tmp_path):
    Machine.of(machine()).save(tmp_path / "m.toml")
    assert Machine.load(tmp_path / "m.toml").tree == machine()


def test_known_machines_are_valid():
    assert "earth-simulator" in known_machines()
    for path in known_machines().values():
        Machine.load(path)


@pytest.mark.parametrize(
    "damage, expected",
    [
        (lambda m: m["memory"]["bandwidth"][0].pop("source"), "'source' is a required property"),
        (lambda m: m["memory"]["bandwidth"][0].update(low=2.5), "outside its interval"),
        (lambda m: m.update(kind="guessed"), "guessed"),
        (lambda m: m.pop("name"), "name"),
        (lambda m: m.update(galaxy={}), "galaxy"),
    ],
)
def test_damaged_machines_are_refused(damage, expected, tmp_path):
    tree = machine()
    damage(tree)
    assert any(expected in problem for problem in problems(tree)), problems(tree)
    with pytest.raises(UserError, match=re.escape(expected)):
        validate(tree)
    Machine.of(tree).save(tmp_path / "m.toml")
    with pytest.raises(UserError, match="not a machine file"):
        Machine.load(tmp_path / "m.toml")


def test_unreadable_machine_files_are_clear_errors(tmp_path):
    (tmp_path / "broken.toml").write_text("a = ")
    with pytest.raises(UserError, match="not valid TOML"):
        Machine.load(tmp_path / "broken.toml")
    with pytest.raises(UserError, match="hakaru probe"):
        Machine.load(tmp_path / "none.toml")
    with pytest.raises(UserError, match="known are: here, "):
        resolve("nowhere", tmp_path)


def test_a_machine_that_was_collected_is_known_by_its_name(tmp_path):
    Machine.of(machine()).save(tmp_path / "there.toml")
    assert resolve("there", tmp_path) == tmp_path / "there.toml"
    with pytest.raises(UserError, match="known are: here, there, "):
        resolve("nowhere", tmp_path)


def test_comparison_says_what_differs():
    faster = machine()
    faster["memory"]["bandwidth"][0] = fact([10.0, 11.0, 12.0], "B/s", "r9", kernel="triad", cores=1)
    rows = {
        (row.fact, row.keys.get("cores")): row for row in compare(Machine.of(machine()), Machine.of(faster))
    }
    assert rows["memory.bandwidth", 1].ratio == 5.5 and rows["memory.bandwidth", 1].differs is True
    assert rows["memory.bandwidth", 2].differs is False


def test_levels_that_two_probes_saw_become_one():
    one = Machine.of(
        {
            "memory": {
                "levels": [{"name": "L1", "latency": {"value": 1e-9}}],
                "bandwidth": [{"cores": 1, "value": 1.0}],
            }
        }
    )
    both = one.joined_with(
        {
            "memory": {
                "levels": [{"name": "L1", "bandwidth": [{"cores": 1, "value": 2.0}]}, {"name": "L2"}],
                "bandwidth": [{"cores": 2, "value": 2.0}],
            }
        }
    )
    tree = both.tree
    assert [sorted(level) for level in tree["memory"]["levels"]] == [
        ["bandwidth", "latency", "name"],
        ["name"],
    ]
    assert len(tree["memory"]["bandwidth"]) == 2


def test_the_machines_that_replays_need_come_with_hakaru():
    for name in ("ethernet-10g", "fat-tree-100g", "hx600", "fx1"):
        machine = Machine.load(known_machines()[name])
        assert machine.kind == "published"
        assert machine.number("network.node.latency") > 0
        assert all(fact.source.strip() for _, fact in machine.walk())


@pytest.mark.parametrize(
    ("cores", "threads", "told"),
    [(2, 2, {"cores": 2}), (None, 4, {"cores": 4}), (2, 4, {"cores": 2, "threads_of_core": 2})],
)
def test_hardware_threads_are_not_cores(cores, threads, told):
    """None: records that are older than the question."""
    made = _cores(Environment(cpus_online=threads, cores_online=cores))
    assert {name: fact["value"] for name, fact in made.items()} == told
