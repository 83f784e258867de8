"""Communication counted in schedules equals the table that they were made for."""

import pytest

from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.counts import COUNTS, count
from hakaru.studies import load
from hakaru.studies.fixtures import table_five

RANKS = {"ep": 64, "cg": 16, "ft": 128, "sp": 64, "tomcatv": 64, "matmul": 64, "scg": 64}


@pytest.mark.parametrize("name", ["matmul", "scg", "cg"])
def test_hand_made_schedules_have_the_published_counts(name):
    published = {
        row["application"].lower(): row for row in load("ap1000plus").published.table("statistics").rows
    }
    counted = count(Schedule.of(table_five(name, RANKS[name])))
    same = {"scg": ("gop", "vgop", "sync"), "cg": ("gop", "vgop", "sync")}.get(name, COUNTS)
    for column in same:
        assert counted[column] == pytest.approx(published[name][column], abs=0.5), column
