"""Launches that were not traced get their phases from those that were."""

from msgspec.structs import replace

from hakaru.facts.records.fixtures import record
from hakaru.facts.records.record import Phase, Repetition
from hakaru.facts.records.shares import shared

PHASES = (Phase(name="computing", kind="compute"), Phase(name="MPI_Send", kind="communicate"))


def launch(name, wall, traced):
    times = {"computing": (0.6 * wall, 0.5 * wall), "MPI_Send": (0.2 * wall, 0.3 * wall)} if traced else {}
    return replace(
        record("lulesh"),
        id=name,
        kind="command",
        phases=PHASES if traced else (),
        repetitions=(Repetition(wall_s=wall, rank_s=(wall, wall), phases=times),),
        context={"program": {"traced": traced}},
    )


def test_others_get_the_shares_and_the_traced_one_is_no_sample():
    found = shared([launch("a", 1.2, True), launch("b", 1.0, False), launch("c", 2.0, False)])
    assert [one.id for one in found] == ["b", "c"]
    assert found[1].repetitions[0].phases["computing"] == (1.2, 1.0)
    assert found[1].repetitions[0].wall_s == 2.0
    assert found[0].phases == PHASES


def test_a_traced_launch_alone_is_a_sample():
    alone = launch("a", 1.2, True)
    assert shared([alone]) == [alone]


def test_launches_of_hakarus_own_programs_stay_as_they_are():
    own = replace(record("lulesh"), id="own")
    assert shared([own]) == [own]
