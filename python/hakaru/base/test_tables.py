"""What a table in a terminal shows of long cells."""

import pytest

from hakaru.base.tables import print_table

COLUMNS = ["program", "ran", "error"]


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")


def test_a_name_of_half_the_width_stays_in_one_line(capsys):
    print_table("", COLUMNS, [["m" * 28, "1 s " * 20, "+1 %"]])
    assert "m" * 28 in capsys.readouterr().out


def test_a_longer_name_is_folded_and_takes_no_column_from_others(capsys):
    name = "solver -x 12 --folder " + "/long" * 20
    print_table("", COLUMNS, [[name, "30.2 ms", "+45 %"]])
    shown = capsys.readouterr().out
    assert "30.2 ms" in shown and "+45 %" in shown
    assert all(len(line) <= 60 for line in shown.splitlines())
