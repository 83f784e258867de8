"""Verdicts of replays against their own traces, and one real comparison of a kind of call."""

import os
import sys
from dataclasses import replace

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.facts.records.nearness import usual_state
from hakaru.foretell.accuracy import here, own
from hakaru.foretell.accuracy.here import Held, Round
from hakaru.foretell.accuracy.measure import run_here
from hakaru.foretell.accuracy.own import Own
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.here import launch_here
from hakaru.tell.accuracy import of_this_machine, show, summary

NEAR_S, FAR_S = 42e-9, 180e-9
EXAMPLE = Own(CommandLine(launch_here("openmpi", 2), ("x",)), ("x",), 2)


def held(name, ratios):
    return Held(name, tuple(ratios), tuple(ratios), tuple(1.5 for _ in ratios), tuple(1.0 for _ in ratios))


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([0.99, 1.0, 1.01, 1.02, 1.0, 0.98], "holds"),
        ([1.10, 1.11, 1.12, 1.10, 1.09, 1.13], "misses"),
        ([0.80, 0.81, 0.82, 0.80, 0.79, 0.83], "misses"),
        ([0.90, 1.2, 1.3, 1.1, 0.95, 1.15], "open"),
    ],
)
def test_a_verdict_says_no_more_than_the_interval(ratios, verdict):
    assert held("one", ratios).verdict == verdict


def test_the_summary_names_its_misses_first():
    said = summary(
        [held("good", [1.0] * 6), held("bad", [1.5] * 6), held("restless", [0.5, 2.0, 1.1, 1.2, 0.9, 1.3])]
    )
    assert said == (
        "1 off the traced run (good); 1 misses (bad); 1 open (restless); 1 of 3 within 3% of the run without tracing; 1 within 3% of the traced one"
    )


def test_rows_stay_whole_in_a_terminal_of_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    name = "heat n=512 steps=50 overlap=true"
    show([held(name, [12.31, 12.44, 12.5]), held("accumulate", [0.46] * 3)])
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    row = next(line for line in lines if line.startswith(name))
    assert "12.44 (" in row and " 8.293 " in row and row.rstrip().endswith("1.50")


def test_programs_of_a_file_are_held_beside_ours(tmp_path, monkeypatch, capsys):
    asked = []

    def hold(programs, turns, say):
        asked.extend(programs)
        return Round([held(one.name, [1.0] * turns) for one in programs], {})

    monkeypatch.setattr(here, "calls", list)
    monkeypatch.setattr(here, "leaf", lambda workload: replace(EXAMPLE, called=workload.name))
    monkeypatch.setattr(here, "hold", hold)
    monkeypatch.setattr(own, "usable_cores", lambda: 2)
    file = tmp_path / "lines"
    file.write_text("mpirun.openmpi -n 2 /bin/true 7\n")
    of_this_machine(None, str(file), 6, as_json=False)
    assert [one.name for one in asked][-2:] == ["tomcatv", "true 7"]
    assert "true 7" in capsys.readouterr().out


class Program:
    """Says what was made of it; ``fails`` names the run that does."""

    def __init__(self, name="one", fails=None):
        self.name, self.fails, self.made = name, fails, []

    def trace(self, folder, real_time):
        self._make("trace")
        return folder

    def time(self, folder):
        self._make("run")
        return 1.0

    def _make(self, what):
        self.made.append(what)
        if what == self.fails:
            raise UserError(f"{self.name} cannot be made", "it broke", "mend it")


@pytest.fixture
def nothing_real(monkeypatch):
    """Probes and replays that take no time; what is held of a program is the number of its pairs."""
    monkeypatch.setattr(here, "probe_here", lambda *given: None)
    monkeypatch.setattr(here, "handover_s", lambda: NEAR_S)
    monkeypatch.setattr(here, "_machine", lambda records, say: None)
    monkeypatch.setattr(here, "_held", lambda program, pairs, machine: len(pairs))


@pytest.mark.usefixtures("nothing_real")
def test_turns_change_whether_the_traced_run_comes_first():
    program = Program()
    assert here.hold([program], 3, lambda text: None) == Round([3], {})
    assert program.made == ["trace", "run", "run", "trace", "trace", "run"]


@pytest.mark.usefixtures("nothing_real")
def test_the_others_go_on_when_a_program_fails():
    broken, sound, said = Program("broken", fails="run"), Program("sound"), []
    found = here.hold([broken, sound], 3, said.append)
    assert found == Round([3], {"broken": "broken cannot be made: it broke"})
    assert broken.made == ["trace", "run"]
    assert "no result: broken: broken cannot be made: it broke" in said


def test_a_replay_that_fails_leaves_the_others_their_results(monkeypatch, nothing_real):
    def replayed(program, pairs, machine):
        if program.name == "odd":
            raise UserError("the replay engine's result is not understood", "it has no number", "build again")
        return held(program.name, [1.0] * len(pairs))

    monkeypatch.setattr(here, "_held", replayed)
    found = here.hold([Program("odd"), Program("sound")], 6, lambda text: None)
    assert [one.name for one in found.held] == ["sound"]
    assert summary(found.held, found.failed).startswith("1 without a result (odd); ")


def test_nothing_is_told_where_nothing_was_held(monkeypatch):
    monkeypatch.setattr(here, "calls", list)
    monkeypatch.setattr(here, "leaf", lambda workload: replace(EXAMPLE, called=workload.name))
    monkeypatch.setattr(here, "hold", lambda programs, turns, say: Round([], {"x": "it broke"}))
    with pytest.raises(UserError, match="no program was replayed"):
        of_this_machine(None, None, 6, as_json=False)


def test_what_is_measured_shares_the_session_of_what_keeps_cores_awake():
    told = run_here([sys.executable, "-c", "import os; print(os.getsid(0))"], {}, "asking").stdout
    assert int(told) == os.getsid(0), "from another session the keeper would take half of a core"


def test_what_met_another_state_of_the_cores_is_left_out():
    usual = usual_state([NEAR_S] * 9 + [FAR_S] * 4)
    near = [here.Met(turn, (NEAR_S, NEAR_S)) for turn in range(here.LEAST_IN_STATE)]
    far = [here.Met(7, (FAR_S, FAR_S)), here.Met(8, (NEAR_S, FAR_S))]
    assert here.in_state([*near, *far], usual) == [0, 1, 2]
    assert here.in_state([*near, *far], None) == [0, 1, 2, 7, 8]
    assert here.in_state([*near[1:], *far], usual) == [1, 2, 7, 8], "too few are left"


def _built() -> bool:
    try:
        return native.tool(here.TOOL).is_file() and native.tool("hakaru_replay").is_file()
    except UserError:
        return False


def test_a_probe_that_asks_each_round_is_not_judged_by_what_was_met_around_it(monkeypatch):
    usual = usual_state([NEAR_S] * 9 + [FAR_S] * 4)
    asked = []
    monkeypatch.setattr(here, "rounds_in", lambda records, near: asked.append((records, near)) or records[:1])
    met = [here.Met(1, (NEAR_S, FAR_S)), here.Met(2, (NEAR_S, NEAR_S))]
    probed = {"messages": met, "putget": [*met, *met[1:], *met[1:]]}
    assert here.records_in(probed, usual) == [1, 2, 2, 2]
    assert asked == [([1, 2], True)]
    assert here.records_in(probed, None) == [1, 2, 1, 2, 2, 2]


@pytest.mark.skipif(not _built(), reason="the programs of calls are not built")
def test_the_kinds_are_listed_by_the_tool_itself():
    names = [one.name for one in here.calls()]
    assert {"latency", "bandwidth", "fence", "neighbours"} <= set(names)
    assert names == sorted(names)
