"""Steps: what goes to the log, to the screen, and into the error."""

import io
import os
import pty
import sys

import pytest

from hakaru.base.errors import UserError
from hakaru.own.setup.progress import Display, run_step, tail, without_hosts


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Get:1 https://mirror.example/debian bookworm", "Get:1 https://.../debian bookworm"),
        ("Could not resolve 'mirror.example.org'", "Could not resolve '...'"),
        (
            "HTTPSConnectionPool(host='index.example.org', port=443)",
            "HTTPSConnectionPool(host='...', port=443)",
        ),
        (
            "native/base/clock.cpp:3:1: error: no CMakeLists.txt",
            "native/base/clock.cpp:3:1: error: no CMakeLists.txt",
        ),
    ],
)
def test_hosts_are_not_shown(line, shown):
    assert without_hosts(line) == shown


def test_a_step_appends_to_its_log(tmp_path, capfd):
    log = tmp_path / "step.log"
    for word in ("first", "second"):
        run_step("saying", ("echo", word), log)
    text = log.read_text()
    assert text.index("first") < text.index("second")
    assert "saying done" in capfd.readouterr().err


def test_a_failed_step_shows_the_end_of_its_log_and_where_it_is(tmp_path, capfd):
    log = tmp_path / "step.log"
    command = ("sh", "-c", "seq 1000; exit 3")
    with pytest.raises(UserError, match="ended with exit code 3") as caught:
        run_step("counting", command, log)
    shown = capfd.readouterr().err.splitlines()
    assert "  1000" in shown and "  500" not in shown
    assert str(log) in str(caught.value) and caught.value.exit_code == 4


def test_only_the_output_of_this_try_explains_its_failure(tmp_path):
    log = tmp_path / "step.log"
    log.write_text("an old reason\n")
    seen = []
    with pytest.raises(UserError, match="because.; do this"):
        run_step(
            "failing", ("false",), log, explain=lambda output: seen.append(output) or ("because", "do this")
        )
    assert "an old reason" not in seen[0]


def test_a_command_that_cannot_start_is_explained(tmp_path):
    with pytest.raises(UserError, match="starting failed .*No such file") as caught:
        run_step("starting", (str(tmp_path / "missing"),), tmp_path / "step.log")
    assert caught.value.exit_code == 4


def test_the_tail_begins_at_the_line_that_matters():
    output = "\n".join(["noise"] * 50 + ["FAILED: a.o", "why"] + ["noise"] * 5)
    assert tail(output, "FAILED: ").splitlines()[:2] == ["  FAILED: a.o", "  why"]


def test_a_file_is_written_in_plain_lines():
    stream = io.StringIO()
    display = Display("building", stream)
    display.end("done")
    assert stream.getvalue() == "hakaru: building ...\nhakaru: building done (0 s)\n"


def test_a_terminal_gets_one_line_that_is_rewritten():
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        display = Display("building", stream)
        display.show("3/4 native/a.cpp")
        display.write(f"hakaru: {display.title} {display.state_}")
        display.end("done")
        text = ""
        while "\n" not in text:
            text += os.read(leader, 10000).decode()
    os.close(leader)
    assert text.count("\n") == 1 and text.count("\r\x1b[K") >= 3
    assert "3/4 native/a.cpp" in text and text.rstrip().endswith("building done (0 s)")


def test_output_that_is_no_text_does_not_stop_a_step(tmp_path):
    command = (sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\n')")
    run_step("odd bytes", command, tmp_path / "log")


def test_of_two_steps_at_work_the_older_has_the_line():
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        older, younger = Display("older", stream), Display("younger", stream)
        younger.write("hidden")
        younger.end("done")
        older.end("done")
        text = ""
        while text.count("\n") < 2:
            text += os.read(leader, 10000).decode()
    os.close(leader)
    assert "hidden" not in text and "younger done" in text and text.rstrip().endswith("older done (0 s)")
