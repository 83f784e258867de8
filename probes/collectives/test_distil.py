"""Facts from synthetic records of the probe ``collectives``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import ENVIRONMENT, layout, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

# Doubling wins short vectors, the ring long ones; the library switches to the ring too early.
SECONDS = {
    8: {"library": 1.0e-6, "recursive_doubling": 1.0e-6, "ring": 3e-6},
    1024: {"library": 4.0e-6, "recursive_doubling": 2.0e-6, "ring": 4e-6},
    65536: {"library": 3.1e-5, "recursive_doubling": 9e-5, "ring": 3e-5},
}
SETTINGS = [
    ["allreduce", "recursive_doubling", "coll_tuned_allreduce_algorithm=3"],
    ["broadcast", "van_de_geijn", "coll_tuned_bcast_algorithm=9"],
]


def record(oversubscribed=False, spread=0.01, mpi="Open MPI v4.1.4") -> Record:
    rows = [
        ["allreduce", name, 2, size, i, seconds * (1 + spread * (i - 4))]
        for size, own in SECONDS.items()
        for name, seconds in own.items()
        for i in range(9)
    ]
    return probed(
        "c1",
        table("levels", "ranks hosts level", [[2, 1, "core"]]),
        table("settings", "collective algorithm openmpi", SETTINGS),
        table("collectives", "collective algorithm ranks bytes repetition seconds", rows),
        layout=layout(2, 1, oversubscribed=oversubscribed),
        environment=ENVIRONMENT | {"mpi_library": mpi},
    )


def facts(**changes) -> dict:
    return distiller.distil([record(**changes)])["network"]["core"]["algorithms"]["allreduce"]


def test_times_are_recovered():
    times = {(one["algorithm"], one["bytes"]): one["value"] for one in facts()["times"]}
    assert times == pytest.approx({(n, size): s for size, own in SECONDS.items() for n, s in own.items()})


def test_a_bad_choice_of_the_library_is_found_with_what_to_set():
    found = facts()["library_loses"]
    assert [(one["bytes"], one["algorithm"]) for one in found] == [(1024, "recursive_doubling")]
    assert found[0]["value"] == pytest.approx(2.0)
    assert "OMPI_MCA_coll_tuned_allreduce_algorithm=3" in found[0]["note"]
    assert "manual" in facts(mpi="MPICH 4.0.2")["library_loses"][0]["note"]


def test_a_choice_within_the_scatter_is_not_called_bad():
    assert "library_loses" not in facts(spread=0.12)


def test_the_switch_lies_between_two_lengths():
    (switch,) = facts()["switch"]
    assert (switch["value"], switch["low"], switch["high"]) == (65536, 1024, 65536)
    assert (switch["below"], switch["above"]) == ("recursive_doubling", "ring")


def test_algorithms_that_are_as_fast_do_not_switch():
    assert "switch" not in facts(spread=0.5)


def test_ranks_that_share_a_processor_give_no_facts():
    assert distiller.distil([record(oversubscribed=True)]) == {} == distiller.distil([])


def test_what_to_set_is_what_the_record_says():
    known = distiller.settings([record()])
    assert "OMPI_MCA_coll_tuned_bcast_algorithm=9" in distiller.advice("broadcast", "van_de_geijn", known)
    assert "manual" in distiller.advice("allreduce", "ring", known)


def test_facts_fit_into_a_machine_file():
    machine = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    validate(machine | distiller.distil([record()]))
