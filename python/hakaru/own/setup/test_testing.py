"""The test command: both halves run, their closing lines are repeated, either one's failure counts."""

import pytest

from hakaru.own.setup import testing

CTEST = [
    "100% tests passed, 0 tests failed out of 12",
    "50% tests passed, 6 tests failed out of 12",
    "No tests were found!!!",
]
PYTEST = [
    "==== 12 passed, 1 skipped in 3.21s ====",
    "1 failed, 3 passed in 62.10s (0:01:02)",
    "no tests ran in 0.01s",
]


@pytest.mark.parametrize("line", CTEST)
def test_ctests_closing_line(line):
    assert testing.closes_ctest(line) and not testing.closes_pytest(line)


@pytest.mark.parametrize("line", PYTEST)
def test_pytests_closing_line(line):
    assert testing.closes_pytest(line) and not testing.closes_ctest(line)


def script(text):
    return lambda *_: testing.run_part("part", ["sh", "-c", text], testing.closes_pytest, testing.root())


@pytest.mark.parametrize(
    ("native", "python", "labs", "code"),
    [
        ("exit 0", "exit 0", "exit 0", 0),
        ("exit 8", "exit 0", "exit 0", 1),
        ("exit 0", "exit 2", "exit 0", 1),
        ("exit 0", "exit 0", "exit 1", 1),
        ("exit 1", "exit 1", "exit 1", 1),
    ],
)
def test_each_part_counts_and_all_run(native, python, labs, code, monkeypatch, capfd):
    monkeypatch.setattr(testing, "offer", lambda purposes: None)
    monkeypatch.setattr(
        testing, "native_part", script(f"echo native ran; echo '= 1 passed in 1s ='; {native}")
    )
    monkeypatch.setattr(
        testing, "python_part", script(f"echo python ran; echo '= 2 passed in 1s ='; {python}")
    )
    monkeypatch.setattr(testing, "alone_part", script(f"echo labs ran; echo '= 3 passed in 1s ='; {labs}"))
    assert testing.run_tests() == code
    shown = capfd.readouterr().out
    assert "native ran" in shown and "python ran" in shown and "labs ran" in shown
    closing = shown.splitlines()[-3:]
    assert [f"{count} passed in 1s" in line for count, line in zip((1, 2, 3), closing, strict=True)] == [
        True
    ] * 3
    assert ("FAILED (exit code 8)" in closing[0]) == (native == "exit 8")


@pytest.mark.parametrize("every", [False, True])
def test_long_runs_are_for_all_only(every, monkeypatch):
    marks, offered = [], []
    monkeypatch.setattr(testing, "offer", offered.append)
    monkeypatch.setattr(
        testing,
        "run_part",
        lambda name, command, *_: (
            marks.append(command[command.index("-m", 4) + 1]) or testing.Part(name, 0, "", 0.0)
        ),
    )
    assert testing.run_tests("python", every=every) == 0
    assert offered == [("test", "packaged") if every else ("test",)]
    assert marks == (["not alone", "alone"] if every else ["not alone and not long", "alone and not long"])


def test_no_test_that_measures_is_no_failure(monkeypatch):
    monkeypatch.setattr(testing, "run_part", lambda name, *_: testing.Part(name, testing.NO_TESTS, "", 0.0))
    assert testing.alone_part("of another kind").exit_code == 0


def test_a_runner_killed_by_a_signal_has_failed(monkeypatch):
    monkeypatch.setattr(testing, "native_part", script("kill -9 $$"))
    assert testing.run_tests("native") == 1
