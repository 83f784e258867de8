"""Paths or a program; paths that are not there; traces of two programs; traces that were oversubscribed."""

import json
import subprocess
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.traces.summary import About
from hakaru.facts.traces.trace import Trace
from hakaru.foretell.advise import command, inputs, ranking
from hakaru.foretell.advise.test_advise import predicted
from hakaru.foretell.replay.source import Source

PROGRAMS = ["heat", "electrons"]


@pytest.mark.parametrize(
    ("words", "traces"),
    [
        (["heat", "n=128"], False),
        (["electrons", "input=some/file.toml"], False),
        (["nothing"], False),
        (["a.otf2", "b@4"], True),
        (["runs/flat", "runs/hybrid@4"], True),
        (["gone", "there"], True),
        (["heat", "there"], True),
    ],
)
def test_paths_are_told_from_programs(words, traces, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "heat").mkdir()
    assert inputs.are_traces(words, PROGRAMS) is traces


def test_missing_paths_are_named(tmp_path):
    request = command.Request([f"{tmp_path}/flat", f"{tmp_path}/hybrid@4"], 1, "fx1", results=str(tmp_path))
    with pytest.raises(UserError, match="there is no .*/flat and no .*/hybrid .no such file"):
        command.advise(request)


def test_traces_of_two_programs_are_refused():
    found = {"a": About("/bin/solver"), "b": About("/opt/other"), "c": About("")}
    with pytest.raises(UserError, match="different programs .a of solver, b of other"):
        inputs.of_one_program(found, False)
    inputs.of_one_program(found, True)
    inputs.of_one_program({"a": About("/bin/solver"), "b": About("/hybrid/solver"), "c": About("")}, False)


def test_a_trace_says_its_program_and_warnings(monkeypatch):
    said = {"program": "/bin/solver", "warnings": ["oversubscribed: 8 ranks"], "events": 1, "seconds": 0.1}
    done = subprocess.CompletedProcess([], 0, json.dumps(said), "")
    monkeypatch.setattr(Trace, "_read", lambda self, *words: done)
    found = inputs.about(Source("trace", Path("t.otf2"), "t"))
    assert found == About("/bin/solver", ("oversubscribed: 8 ranks",))


def test_advice_warns_of_its_traces(capsys):
    best = predicted("h", ranks=1, threads=4, warnings=("h: oversubscribed: 8 ranks on vm had 2 processors",))
    advice = ranking.rank("p", "m", [predicted("f"), best])
    assert advice.as_dict()["attention"] == list(best.warnings)
    command.show(advice, 10)
    assert "ATTENTION: h: oversubscribed: 8 ranks" in capsys.readouterr().out
