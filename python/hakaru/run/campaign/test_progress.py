"""What people see of many short things."""

import pytest

from hakaru.run.campaign.progress import counting


def test_where_nothing_can_be_drawn_each_tenth_is_a_line(capsys):
    with counting("replay") as tell:
        for done in range(1, 26):
            tell(done, 25)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "replay 2 of 25" and lines[-1] == "replay 25 of 25" and len(lines) == 13


@pytest.mark.parametrize("ends", (3, 1))
def test_a_bar_in_a_terminal_leaves_the_cursor_as_it_was(capsys, monkeypatch, ends):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(KeyboardInterrupt), counting("replay") as tell:
        for done in range(1, ends + 1):
            tell(done, 3)
        raise KeyboardInterrupt
    text = capsys.readouterr().err
    assert f"{ends}/3" in text and text.count("\x1b[?25l") == text.count("\x1b[?25h")
