"""What a machine file lacks is told, and only that."""

import pytest

from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.machines.missing import NODES, ROOFLINE, missing, obstacles
from hakaru.facts.machines.show import print_machine

WHOLE = ("archer2", "fugaku", "grace-superchip", "lumi-c", "fat-tree-100g")


def of(name):
    return Machine.load(known_machines()[name])


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_said_is_not_missing(name):
    assert obstacles(of(name), nodes=64) == []


@pytest.mark.parametrize("kind", ROOFLINE + NODES, ids=lambda kind: kind.name)
def test_a_fact_that_is_taken_away_is_named(kind):
    machine = of("archer2")
    for path in kind.paths:
        machine = machine.without(path)
    named = [one.name for one in obstacles(machine, nodes=2)]
    assert kind.name in named
    if kind in NODES:
        assert obstacles(machine, nodes=1) == []
        assert obstacles(machine, nodes=1, ranks=4) == [], "messages between cores are known"
        silent = machine.without("network.core").without("network.socket")
        silent = silent.with_facts("network", None)
        assert obstacles(silent, nodes=1, ranks=4) and obstacles(silent, nodes=1, ranks=1) == []


def test_a_machine_tells_what_it_lacks(capsys):
    print_machine(of("aws-hpc7a"))
    said = capsys.readouterr().out
    assert "not said: network.node.latency" in said and "messages between nodes cannot be priced" in said
    assert [one.name for one in missing(of("archer2"))] != [one.name for one in missing(of("aws-hpc7a"))]


def test_no_source_of_a_published_machine_is_from_memory():
    for path in known_machines().values():
        assert "recalled" not in path.read_text()
