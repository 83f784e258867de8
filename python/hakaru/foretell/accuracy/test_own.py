"""A person's own launch line against a lab."""

import shutil
import subprocess

import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.accuracy import measure
from hakaru.foretell.accuracy import own as module
from hakaru.foretell.accuracy.cases import Setting
from hakaru.foretell.accuracy.lab_cases import Kept
from hakaru.foretell.accuracy.own import lines, own
from hakaru.foretell.accuracy.validate import validate
from hakaru.run.lab.fixtures import why_not
from hakaru.run.tracing.testing import PROGRAMS

REASON = why_not()
pytestmark = pytest.mark.skipif(
    not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"),
    reason="Open MPI is not installed here",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    made = tmp_path_factory.mktemp("own") / "exchange"
    source = PROGRAMS / "exchange.c"
    subprocess.run(["mpicc.openmpi", str(source), "-o", str(made), "-lpthread"], check=True)
    return str(made)


def test_ranks_and_program_of_a_line(program):
    found = own(["mpirun.openmpi", "--bind-to", "core", "-n", "2", program, "30", "-n", "7"])
    assert (found.ranks, found.words, found.name) == (2, (program, "30", "-n", "7"), "exchange 30 -n 7")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["-n", "1", "PROGRAM"], "1 ranks"),
        (["-n", "3", "PROGRAM"], "3 ranks"),
        (["PROGRAM", "-n", "2"], "not said"),
        (["-n", "1", "PROGRAM", ":", "-n", "1", "PROGRAM"], "cannot be repeated"),
    ],
)
def test_lines_that_a_lab_cannot_repeat(program, monkeypatch, words, why):
    monkeypatch.setattr(module, "usable_cores", lambda: 2)
    with pytest.raises(UserError, match=why):
        own(["mpirun.openmpi", *[word.replace("PROGRAM", program) for word in words]])


def test_without_a_launcher_there_are_no_ranks(program):
    with pytest.raises(UserError, match="cannot be repeated"):
        own([program])


def test_a_file_of_launch_lines(program, tmp_path):
    file = tmp_path / "lines"
    file.write_text(
        f"# two of them\n\nmpirun.openmpi -n 2 {program} 30  # short\nmpirun.openmpi -n 2 {program} 300\n"
    )
    assert [one.name for one in lines(file)] == ["exchange 30", "exchange 300"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# nothing\n", "names no program"),
        ("mpirun.openmpi -n 2 PROGRAM\nmpirun.openmpi -n 2 /no/such/program\n", "line 2"),
        ("mpirun.openmpi -n 2 'PROGRAM\n", "line 1.*cannot be read"),
    ],
)
def test_a_file_of_bad_lines_names_the_line(program, tmp_path, text, why):
    file = tmp_path / "lines"
    file.write_text(text.replace("PROGRAM", program))
    with pytest.raises(UserError, match=why):
        lines(file)
    with pytest.raises(UserError, match="cannot read"):
        lines(tmp_path / "none")


@pytest.mark.skipif(REASON is not None, reason=REASON or "")
def test_prediction_and_run_both_pay_for_every_message(program, monkeypatch, tmp_path):
    monkeypatch.setitem(measure.LAB_PROBES, "messages", {"time_s": 12})
    messages, latency_s = 200, 1e-3
    line = own(["mpirun.openmpi", "-n", "2", program, str(messages)])
    (lab,) = validate([Setting(latency_s, 1.25e8)], [line], 1, False, Kept(tmp_path), lambda text: None)
    (found,) = lab.cases
    assert found.workload == f"exchange {messages}"
    assert found.measured_s > messages * latency_s and found.predicted_s > messages * latency_s
