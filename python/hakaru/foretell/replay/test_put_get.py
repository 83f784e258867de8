"""PUT and GET of a machine's facts as the engine reads them."""

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay import settable
from hakaru.foretell.replay.network import network_plan
from hakaru.foretell.replay.put_get import PARAMETERS, queue
from hakaru.foretell.replay.topology import near_square

NAMES = ("ap1000", "ap1000plus", "ap1000-supersparc")


def machine(name, *settings):
    return settable.with_settings(Machine.load(known_machines()[name]), list(settings))[0]


@pytest.mark.parametrize("name", NAMES)
def test_published_parameters_reach_the_engine(name):
    from hakaru.studies import load as load_study

    column = "ap1000plus" if name == "ap1000plus" else "ap1000"
    document = network_plan(machine(name), "torus", 64, 1).network.as_dict()
    assert document["put_get"]["hardware"] is (name == "ap1000plus")
    for row in load_study("ap1000plus").published.table("mlsim-parameters").rows:
        if row["parameter"] in PARAMETERS:
            assert document["put_get"][row["parameter"]] == pytest.approx(row[column] * 1e-6), row[
                "parameter"
            ]
    assert set(document["collectives"]) == {"allreduce", "broadcast", "barrier"}
    assert document["topology"]["dimensions"] == [8, 8]


def test_the_machine_with_another_processor_differs_in_nothing_else():
    one, other = (
        network_plan(machine(name), "torus", 16, 1).network.as_dict()
        for name in ("ap1000", "ap1000-supersparc")
    )
    for document in (one, other):  # what a processor adds and copies for itself
        del document["reduction_s_per_byte"], document["levels"]["self"]
    assert one == other


def test_every_assumption_says_so():
    published = ("Hayashi et al. 1995", "Brent")
    for name in NAMES:
        for path, fact in machine(name).walk():
            assert fact.source.startswith((*published, "assumption: ")), path


def test_facts_are_set_like_others():
    document = network_plan(
        machine("ap1000", "network.put_get.intr_rtc_time=7us"), "torus", 16, 1
    ).network.as_dict()
    assert document["put_get"]["intr_rtc_time"] == pytest.approx(7e-6)


def test_what_is_missing_is_named():
    lacking = machine("ap1000").with_facts("network.put_get.put_msg_time", None)
    with pytest.raises(UserError, match=r"does not say network\.put_get\.put_msg_time"):
        network_plan(lacking, "torus", 16, 1)
    strange = machine("ap1000").with_fact("network.put_get.by", "magic")
    with pytest.raises(UserError, match="message controller or interrupts"):
        network_plan(strange, "torus", 16, 1)
    with pytest.raises(UserError, match="queue_words"):
        queue(machine("ap1000"))
    assert queue(machine("ap1000plus")).words == 64


@pytest.mark.parametrize(
    ("nodes", "lengths"), [(1, [1, 1]), (16, [4, 4]), (64, [8, 8]), (128, [16, 8]), (7, [7, 1])]
)
def test_two_dimensions_are_as_equal_as_may_be(nodes, lengths):
    assert near_square(nodes) == lengths
