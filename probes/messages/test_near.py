"""Rounds that met the rarer of two states of the cores move no fact."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import table, with_tables, without_rows

of_distil = load_module(Path(__file__).with_name("test_distil.py"))
near = load_module(Path(__file__).with_name("near.py"))
distil = load_module(Path(__file__).with_name("distil.py"))

HANDOVER_S = {True: 85e-9, False: 300e-9}  # near, far
ROUNDS, PARTS = 15, ("pingpong", "loggp", "collectives")
NEAR, FAR = (of_distil.Truth(latency_s=latency_s) for latency_s in (1e-6, 4e-6))


def in_two_states(far: dict[str, Iterable[int]], seed: int = 1) -> Record:
    """A record whose parts met the far state in these rounds."""
    records = {
        met: of_distil.make_record(truth, rounds=ROUNDS, seed=seed)
        for met, truth in ((True, NEAR), (False, FAR))
    }
    mixed = []
    for part, names in near.PARTS.items():
        for one in (records[True].table(name) for name in names):
            if one is not None:
                at = one.index("repetition")
                rows = [
                    row
                    for met, record in records.items()
                    for row in record.table(one.name).rows
                    if (row[at] in far.get(part, ())) != met
                ]
                mixed.append(table(one.name, " ".join(column.name for column in one.columns), rows))
    handovers = [
        [part, 1, repetition, HANDOVER_S[repetition not in far.get(part, ())]]
        for part in PARTS
        for repetition in range(ROUNDS)
    ]
    return with_tables(records[True], *mixed, table("handover", "part other repetition seconds", handovers))


def latencies_s(record: Record) -> tuple[float, float]:
    """Of the trains, and of the shortest ping-pong."""
    facts = distil.distil([record])["network"]["core"]
    return facts["latency"]["value"], facts["pingpong"][0]["value"]


def test_a_part_that_mostly_met_the_rarer_state_tells_of_the_usual_one_all_the_same() -> None:
    met = in_two_states({"pingpong": range(10), "loggp": range(2)})
    latency_s, pingpong_s = latencies_s(met)
    assert latency_s == pytest.approx(NEAR.latency_s, rel=0.02)
    assert pingpong_s == pytest.approx(NEAR.latency_s, rel=0.02)
    assert latencies_s(without_rows(met, "handover"))[1] > 2.0 * NEAR.latency_s  # it would be moved


def test_the_far_state_may_be_the_usual_one() -> None:
    met = in_two_states({"pingpong": range(10), "loggp": range(14), "collectives": range(15)})
    assert latencies_s(met)[1] == pytest.approx(FAR.latency_s, rel=0.02)


def test_a_part_with_too_few_rounds_in_the_usual_state_stays_whole() -> None:
    met = in_two_states({"pingpong": range(13)})
    assert len(near.usual_rounds([met])[0].rows("pingpong")) == len(met.rows("pingpong"))


def test_other_records_tell_of_a_part_that_one_met_in_the_rarer_state_only() -> None:
    mostly_near, far = in_two_states({}), in_two_states({"pingpong": range(14)}, seed=2)
    kept = near.usual_rounds([mostly_near, far])
    assert len(kept[0].rows("pingpong")) == len(mostly_near.rows("pingpong"))
    assert {row["repetition"] for row in kept[1].rows("pingpong")} == {ROUNDS - 1}


def test_the_rarer_state_may_be_asked_for() -> None:
    met = in_two_states({"pingpong": range(5), "loggp": range(5), "collectives": range(5)})
    assert latencies_s(met)[1] == pytest.approx(NEAR.latency_s, rel=0.02)
    (asked,) = near.usual_rounds([met], near=False)
    assert latencies_s(asked)[1] == pytest.approx(FAR.latency_s, rel=0.02)
    assert near.usual_rounds([asked]) == [asked], "it has one state left"


def test_long_ping_pongs_are_a_part_of_their_own() -> None:
    met = in_two_states({"loggp": range(9), "pingpong": range(2)})
    longest = max(row["bytes"] for row in met.rows("both_ways"))
    pingpong = table(
        "pingpong",
        "pair bytes repetition seconds",
        [*met.table("pingpong").rows, *([0, 4 * longest, repetition, 1.0] for repetition in range(7))],
    )
    handover = table(
        "handover",
        "part other repetition seconds",
        [*met.table("handover").rows, *(["long", 1, at, HANDOVER_S[at > 3]] for at in range(7))],
    )
    kept = near.usual_rounds([with_tables(met, pingpong, handover)])[0].rows("pingpong")
    assert [row["repetition"] for row in kept if row["bytes"] > longest] == [4, 5, 6]
    assert {row["repetition"] for row in kept if row["bytes"] <= longest} == set(range(2, ROUNDS))


def test_records_that_did_not_ask_stay_as_they_are() -> None:
    one = of_distil.make_record(NEAR)
    assert near.usual_rounds([one]) == [one]
