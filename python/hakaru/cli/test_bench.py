"""What ``hakaru bench`` shows."""

from hakaru.base.statistics import Interval
from hakaru.cli.bench import show
from hakaru.own.bench import row


def test_numbers_are_whole_in_eighty_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    words = "rate of an operator on a lattice of many sites in double precision"
    rate = Interval(2.572e10, 2.51e10, 2.613e10, 7, 0.95)
    show(
        [
            row("lattice", words, rate, "flop/s", 2.343e10, 1.802e10),
            row("start", "time", Interval(0.99, 0.97, 1.1, 7, 0.95), "s"),
        ]
    )
    shown = capsys.readouterr().out
    assert "25.7 Gflop/s (25.1 to 26.1)  23.4 Gflop/s  18.0 Gflop/s" in shown
    assert "990 ms (970 ms to 1.10 s)" in shown
    assert max(map(len, shown.splitlines())) <= 80
