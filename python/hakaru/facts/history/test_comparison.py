"""Comparisons: verdicts turn where a sample is shifted, wrong launches never count, sides say what is wrong with them."""

import math

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.history.comparison import (
    FASTER,
    FEW,
    ONE_SIDED,
    SLOWER,
    TOO_SHORT,
    UNCHANGED,
    compare,
)
from hakaru.facts.history.fixtures import launch, stored
from hakaru.facts.history.selection import side, sides
from hakaru.facts.records.fixtures import ENVIRONMENT, changed

STEADY = (1.0, 1.01, 0.99, 1.02, 0.98)


def launches(factor=1.0, times=STEADY, first=0, **more):
    return [launch(factor * time, number=first + number, **more) for number, time in enumerate(times)]


def compared(folder, before, after, threshold=0.05):
    stored(folder / "a", before)
    stored(folder / "b", after)
    return compare(*sides((str(folder / "a"), str(folder / "b")), folder), threshold)


def whole(found):
    return found.pairs[0].rows[0]


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.0, UNCHANGED), (1.03, UNCHANGED), (1.2, SLOWER), (0.8, FASTER)]
)
def test_the_verdict_turns_with_the_sample(tmp_path, factor, verdict):
    found = compared(tmp_path, launches(), launches(factor, first=10))
    row = whole(found)
    assert row.verdict == verdict and found.regressed == (verdict == SLOWER)
    assert row.ratio.low <= factor <= row.ratio.high and row.ratio.coverage > 0.95
    assert (row.before_launches, row.after_launches) == (5, 5) and row.before_s == pytest.approx(1.0)


def test_turned_round_the_verdict_is_turned(tmp_path):
    stored(tmp_path / "a", launches())
    stored(tmp_path / "b", launches(1.2, first=10))
    assert whole(compare(*sides([str(tmp_path / "b"), str(tmp_path / "a")], tmp_path))).verdict == FASTER


def test_verdicts_by_luck_are_rare(tmp_path):
    """Equal but skewed samples: a false verdict of either kind needs an interval that misses by 5 % on top."""
    generator = np.random.default_rng(4)
    wrong = 0
    for number in range(150):
        before, after = (generator.lognormal(0.0, 0.1, 5).tolist() for _ in range(2))
        found = compared(tmp_path / str(number), launches(times=before), launches(times=after, first=10))
        wrong += whole(found).verdict != UNCHANGED
    assert wrong / 150 <= 0.032


def test_a_phase_alone_can_be_slower(tmp_path):
    slower = [launch(1.03 * time, number=10 + at, sweep=0.75) for at, time in enumerate(STEADY)]
    for at, one in enumerate(slower):
        data = one.as_dict()
        for repetition in data["repetitions"]:
            repetition["phases"]["halo"] = [1.5 * time for time in repetition["phases"]["halo"]]
            repetition["phases"]["sweep"] = [0.85 * time for time in repetition["phases"]["sweep"]]
        slower[at] = type(one).of(data)
    found = compared(tmp_path, launches(), slower)
    verdicts = {row.phase: row.verdict for row in found.pairs[0].rows}
    assert (verdicts[None], verdicts["halo"], verdicts["sweep"]) == (UNCHANGED, SLOWER, FASTER)
    assert found.regressed


def test_short_phases_and_those_of_one_side_are_not_judged(tmp_path):
    before, after = launches(), launches(first=10)
    for at, one in enumerate(after):
        data = one.as_dict()
        for repetition in data["repetitions"]:
            repetition["phases"]["new"] = [0.001] * 2
            repetition["phases"]["wait for others"] = [0.005] * 2
        after[at] = type(one).of(data)
    for at, one in enumerate(before):
        data = one.as_dict()
        for repetition in data["repetitions"]:
            repetition["phases"]["wait for others"] = [0.001] * 2
        before[at] = type(one).of(data)
    found = compared(tmp_path, before, after)
    verdicts = {row.phase: row.verdict for row in found.pairs[0].rows}
    assert verdicts["new"] == ONE_SIDED and verdicts["wait for others"] == TOO_SHORT and not found.regressed


def test_three_launches_are_too_few_to_say(tmp_path):
    found = compared(tmp_path, launches(times=STEADY[:3]), launches(5.0, times=STEADY[:3], first=10))
    assert {row.verdict for row in found.rows} == {FEW} and not found.regressed
    assert whole(found).ratio.value == pytest.approx(5.0, rel=0.02)


def spoiled():
    slow = launches(9.0, first=20)
    return [
        slow[0].failed("gone", 1, ""),
        changed(slow[1], verdict="failed"),
        changed(slow[2], layout=slow[2].layout.as_dict() | {"oversubscribed": True}),
        changed(slow[3], command="verify"),
        changed(slow[4], kind="probe"),
    ]


def test_wrong_launches_are_left_out_and_counted(tmp_path):
    found = compared(tmp_path, launches(), launches(first=10) + spoiled())
    assert whole(found).verdict == UNCHANGED and whole(found).after_launches == 5
    note = f"left out of '{tmp_path / 'b'}': 1 failed, 1 oversubscribed, 1 wrong result"
    assert note in found.notes


def traced(one):
    return changed(one, kind="command", context={"program": {"traced": True, "fingerprint": "x"}})


def test_traced_launches_count_only_where_all_are_traced(tmp_path):
    plain = [changed(one, kind="command") for one in launches()]
    slow = [traced(one) for one in launches(3.0, first=20)]
    found = compared(tmp_path, plain, [changed(one, kind="command") for one in launches(first=10)] + slow)
    assert whole(found).verdict == UNCHANGED
    assert any("5 traced, where others are not" in note for note in found.notes)
    both = compared(tmp_path / "both", [traced(one) for one in launches()], slow)
    assert whole(both).verdict == SLOWER


def test_damaged_files_are_counted(tmp_path):
    (tmp_path / "a" / "records").mkdir(parents=True)
    (tmp_path / "a" / "records" / "half.json").write_text('{"schema"')
    found = compared(tmp_path, launches(), launches(first=10))
    assert any("1 damaged files (half.json ...)" in note for note in found.notes)


def test_what_changed_stands_beside_it(tmp_path):
    after = launches(
        first=10, environment={"compiler": "g++ 13", "variables": {"OMP_WAIT": "x"}}, commit="b" * 40
    )
    found = compared(tmp_path, launches(), after)
    assert [str(text) for text in found.pairs[0].changed] == [
        f"commit: {'a' * 40} -> {'b' * 40}",
        "compiler: g++ 12 -> g++ 13",
        "variable OMP_WAIT: not known -> x",
    ]
    busy = compared(tmp_path / "busy", launches(), launches(first=10, environment={"load_average": [7.0]}))
    assert "load average before a run: 0.00 -> 7.00" in [str(text) for text in busy.pairs[0].changed]


def test_two_machines_are_said(tmp_path):
    found = compared(
        tmp_path, launches(), launches(first=10, environment={"host": "node2", "cpu_model": "other"})
    )
    assert any("two machines: node1 (test processor) and node2 (other)" in note for note in found.notes)


def test_a_side_that_mixes_is_said(tmp_path):
    mixed = launches(first=10, times=STEADY[:3]) + launches(first=20, environment={"compiler": "g++ 13"})
    found = compared(tmp_path, launches(), mixed)
    assert any("mixes 2 values of compiler (g++ 12 | g++ 13)" in note for note in found.notes)


def test_clocks_that_go_backwards_and_dates_in_the_future_are_said(tmp_path):
    wrong = launches(first=10)
    wrong[0] = changed(wrong[0], finished="2020-01-01T00:00:00.000Z")
    wrong[1] = changed(wrong[1], started="2999-01-01T00:00:00.000Z", finished="2999-01-01T00:00:01.000Z")
    notes = " ".join(compared(tmp_path, launches(), wrong).notes)
    assert "1 launches are dated in the future" in notes and "1 launches ended before they began" in notes


def test_other_parameters_are_no_pair(tmp_path):
    with pytest.raises(UserError, match="no problem in common .*other parameters or layouts"):
        compared(tmp_path, launches(), launches(first=10, parameters={"n": 65}))
    found = compared(
        tmp_path / "more", launches(), launches(first=10) + launches(first=20, parameters={"n": 65})
    )
    assert found.only[str(tmp_path / "more" / "b")] == ["heat n=65, 2 ranks × 1 thread"]


def test_selectors_choose_sides(tmp_path):
    stored(tmp_path, launches(day=0) + launches(1.2, day=3, commit="b" * 40, campaign="c1"))
    for before, after in (
        ("commit=aaaa", "commit=bbbb"),
        ("date=2026-03-01", "date=2026-03-02.."),
        ("date=..2026-03-02", "campaign=c1"),
        ("commit=aaaa,host=NODE1,compiler=12", f"{tmp_path},commit=bbbbb"),
    ):
        assert whole(compare(*sides((before, after), tmp_path))).verdict == SLOWER


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("commit=cccc", "there are: aaaaaaa"),
        ("commit=aa", "too short"),
        ("date=yesterday", "is no date"),
        ("date=2026-03-05..2026-03-01", "its first day is after its last"),
        ("date=2025-01-01", "no run in .* has date=2025-01-01 .there are: 2026-03-01, 2026-03-02"),
        ("compiler=icx", r"there are: g\+\+ 12"),
        ("colour=red", "selectors are"),
        ("compiler=", "selects nothing"),
        ("nowhere", "neither a folder nor a selector"),
        ("commit=aaaa", "is 2 commits"),
    ],
)
def test_wrong_selectors_are_told(tmp_path, word, told):
    stored(tmp_path, launches() + launches(day=1, commit="aaaab" + "b" * 35))
    with pytest.raises(UserError, match=told):
        side(word, tmp_path)


def test_sides_that_overlap_are_refused(tmp_path):
    stored(tmp_path, launches() + launches(day=1))
    with pytest.raises(UserError, match="share 5 launches"):
        compare(*sides(("date=2026-03-01", "date=2026-03-01..2026-03-02"), tmp_path))


def test_folders_without_records_are_told(tmp_path):
    with pytest.raises(UserError, match="there is no such folder"):
        side("commit=abcd", tmp_path / "nothing")
    with pytest.raises(UserError, match="has no folder records"):
        side(str(tmp_path), tmp_path)
    (tmp_path / "records").mkdir()
    with pytest.raises(UserError, match="nothing ran there yet"):
        side(str(tmp_path), tmp_path)
    (tmp_path / "records" / "x.json").write_text("[]")
    with pytest.raises(UserError, match="1 of its files are damaged"):
        side(str(tmp_path), tmp_path)


def test_nothing_left_is_told(tmp_path):
    with pytest.raises(UserError, match="no launch whose time counts.*5 left out"):
        compared(tmp_path, [one.failed("gone", 1, "") for one in launches()], launches(first=10))


def test_environments_of_older_records_are_no_hindrance(tmp_path):
    bare = [
        changed(one, context={}, environment=ENVIRONMENT | {"load_average": []}) for one in launches(first=10)
    ]
    found = compared(tmp_path, launches(), bare)
    assert "commit: " + "a" * 40 + " -> not known" in [str(text) for text in found.pairs[0].changed]
    assert math.isfinite(whole(found).ratio.value)
