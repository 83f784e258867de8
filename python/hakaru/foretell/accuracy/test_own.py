"""A person's own launch line against a lab."""

import shutil
import subprocess

import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.accuracy import measure
from hakaru.foretell.accuracy import own as module
from hakaru.foretell.accuracy.cases import Setting
from hakaru.foretell.accuracy.own import own
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


@pytest.mark.skipif(REASON is not None, reason=REASON or "")
def test_prediction_and_run_both_pay_for_every_message(program, monkeypatch):
    monkeypatch.setitem(measure.LAB_PROBES, "messages", {"time_s": 12})
    messages, latency_s = 200, 1e-3
    line = own(["mpirun.openmpi", "-n", "2", program, str(messages)])
    (found,) = validate([Setting(latency_s, 1.25e8)], [line], 1, False, lambda text: None)
    assert found.workload == f"exchange {messages}"
    assert found.measured_s > messages * latency_s and found.predicted_s > messages * latency_s
