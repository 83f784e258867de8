import pytest

from hakaru.facts.records import groups
from hakaru.facts.records.fixtures import changed
from hakaru.tell.explain import fixtures
from hakaru.tell.explain.phases import kind_shares, phases, ranks


def _records(walls, **more):
    kinds = [{"name": "work", "kind": "compute"}, {"name": "talk", "kind": "communicate"}]
    rows = []
    for number, wall_s in enumerate(walls):
        repetition = fixtures.repetition(
            {"work": [0.5 * wall_s, 0.7 * wall_s], "talk": [0.1 * wall_s] * 2}, 0.2 * wall_s
        )
        fields = {"layout": fixtures.layout(2, 1), "phases": kinds, **more}
        rows.append(fixtures.record("example", number, [repetition], **fields))
    return rows


def test_the_value_of_a_launch_is_the_median_of_its_repetitions():
    repetitions = [fixtures.repetition({"work": [time]}) for time in (1.0, 9.0, 2.0)]
    other = [fixtures.repetition({"work": [4.0]})]
    case = groups.problems([fixtures.record("a", 0, repetitions), fixtures.record("a", 1, other)])[0]
    wall = case.groups[0].wall()
    assert (wall.value, wall.low, wall.high, wall.count) == (3.0, 2.0, 4.0, 2)


def test_groups_by_program_parameters_and_layout():
    records = (
        fixtures.himeno("S", 1e5, 2, 1, 0)
        + fixtures.himeno("S", 1e5, 1, 2, 10)
        + fixtures.himeno("M", 1e6, 1, 1, 20)
    )
    cases = groups.problems(records)
    assert [(case.parameters["size"], len(case.groups)) for case in cases] == [("S", 2), ("M", 1)]
    assert [group.name for group in cases[0].groups] == ["2 ranks × 1 thread", "1 rank × 2 threads"]
    assert [group.style for group in cases[0].groups] == ["flat MPI", "MPI + OpenMP"]
    assert groups.labels(cases) == ["himeno size=S, iterations=100", "himeno size=M, iterations=30"]


def test_other_machines_and_libraries_are_never_mixed():
    records = fixtures.himeno("S", 1e5, 1, 1, 0)
    records[0] = changed(records[0], environment=fixtures.environment(mpi_library="MPICH 4.0.2"))
    cases = groups.problems(records)
    assert sorted(len(case.groups[0].records) for case in cases) == [1, 4]
    assert any("MPICH" in label for label in groups.labels(cases))


@pytest.mark.parametrize(
    "change",
    [
        {"status": "failed"},
        {"verdict": "failed"},
        {"command": "verify"},
        {"kind": "probe"},
        {"repetitions": []},
    ],
)
def test_only_sound_runs_of_apps_count(change):
    assert groups.problems(_records([1.0])) != []
    assert groups.problems([changed(_records([1.0])[0], **change)]) == []


def test_phases_with_other_and_waiting_fill_the_wall_time():
    group = groups.problems(_records([1.0, 1.0, 1.0]))[0].groups[0]
    found = {phase.name: phase for phase in phases(group)}
    assert list(found) == ["work", "talk", "other", "wait for others"]
    assert sum(phase.share for phase in found.values()) == pytest.approx(1.0)
    assert found["other"].kind == "compute"
    assert found["other"].mean_s == pytest.approx(0.2)
    assert found["wait for others"].mean_s == pytest.approx(0.1)
    assert found["work"].minimum_s == pytest.approx(0.5)
    assert found["work"].imbalance == pytest.approx(0.7 / 0.6 - 1.0)


def test_kinds_on_every_rank():
    group = groups.problems(_records([1.0]))[0].groups[0]
    first, second = ranks(group)
    assert (first.compute, first.communicate, first.io, first.idle) == pytest.approx((0.7, 0.1, 0.0, 0.2))
    assert (second.compute, second.communicate, second.io, second.idle) == pytest.approx((0.9, 0.1, 0.0, 0.0))
    assert kind_shares(group) == pytest.approx({"compute": 0.8, "communicate": 0.1, "io": 0.0, "idle": 0.1})
