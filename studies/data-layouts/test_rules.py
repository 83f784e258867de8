"""The rules of the publication, on its own tables and on tables that are made up."""

import statistics
from pathlib import Path

import pytest

from hakaru.base.statistics import median_interval
from hakaru.studies import load
from hakaru.studies.analyses import part

FOLDER = Path(__file__).parent
rules, columns, description = (part(FOLDER, name) for name in ("rules", "columns", "description"))
BY_NAME = {rule.name: rule for rule in rules.RULES}


@pytest.fixture(scope="module")
def stated():
    return columns.published(load("data-layouts"))


def asked(name, column):
    rule = BY_NAME[name]
    found = rules.found(rule, column.rounds, column.pointer)
    return rule.verdict(found), found.value


def test_the_published_tables_are_read(stated):
    assert list(stated) == ["pc", "pc_alloc", "fx1", "fx1_impact", "fx1_tuned", "fx1_tuned_alloc"]
    assert all(len(column.rounds[0]) == 28 for column in stated.values())
    assert stated["fx1_tuned"].rounds[0]["A", 0] == 0.377
    assert stated["fx1_tuned_alloc"].rounds[0]["A", 0] == 4.543


def test_what_the_publication_says_holds_in_its_tables(stated):
    assert asked("three levels", stated["pc"])[0] == "holds"
    assert asked("allocatable on the PC", stated["pc_alloc"])[0] == "holds"
    verdict, value = asked("allocatable on FX1", stated["fx1_tuned_alloc"])
    assert verdict == "holds" and value > 2.5
    assert asked("cells by points", stated["pc"]) == ("holds", 1.0)
    assert asked("cells by points", stated["fx1_tuned"])[0] == "does not hold"


def flat(value=1.0):
    return {(layout, kernel): value for layout in description.LAYOUTS for kernel in description.KERNELS}


@pytest.mark.parametrize(
    ("name", "slow", "factor", "before", "after"),
    [
        ("derived types", lambda case: case[0] in "AB", 1.5, "holds", "does not hold"),
        ("dynamic arrays", lambda case: case[0] == "A", 1.5, "does not hold", "holds"),
        ("static arrays", lambda case: case[0] in "ABEF", 1.5, "does not hold", "holds"),
        ("three levels", lambda case: case[0] == "E", 1.5, "does not hold", "holds"),
        ("cells", lambda case: case[0] == "F", 1.5, "does not hold", "holds"),
        ("cells by points", lambda case: case == ("F", 3), 1.5, "holds", "does not hold"),
        ("loops along the sweep", lambda case: case[1] > 1, 1.5, "does not hold", "holds"),
        ("components", lambda case: case[1] == 0, 1.5, "holds", "does not hold"),
    ],
)
def test_a_rule_turns_with_its_times(name, slow, factor, before, after):
    table = flat()
    assert asked(name, columns.Column("", [table]))[0] == before
    changed = {case: value * (factor if slow(case) else 1.0) for case, value in table.items()}
    assert asked(name, columns.Column("", [changed]))[0] == after


def test_rules_of_two_tables_need_both():
    rule = BY_NAME["allocatable on FX1"]
    assert rules.found(rule, [flat()]) is None
    assert rules.found(rule, [flat(3.0)], [flat()]).value == pytest.approx(3.0)


def test_an_interval_over_the_bound_leaves_it_open():
    rule = BY_NAME["dynamic arrays"]
    found = median_interval([1.0, 1.1, 1.2, 1.0, 1.1])
    assert statistics.median([1.0, 1.1, 1.2, 1.0, 1.1]) == 1.1 and rule.verdict(found) == "open"


def test_a_layout_that_is_missing_asks_no_rule():
    table = {("A", kernel): 1.0 for kernel in description.KERNELS}
    assert rules.found(BY_NAME["static arrays"], [table]) is None
