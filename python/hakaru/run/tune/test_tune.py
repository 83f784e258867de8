"""Tuning with made-up times: losers leave early, luck is no gain, failures are told, Ctrl-C keeps what was measured."""

import json
import random
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.base.statistics import median_interval
from hakaru.run.launchers import Launch
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.executable import Executable
from hakaru.run.launchers.known import launcher
from hakaru.run.tune import display, settings
from hakaru.run.tune.session import Tuning, tune
from hakaru.run.tune.settings import DEFAULT, Setting
from hakaru.run.tune.timed import LaunchFailed, Timed, check_pattern


def setting(name, group="allreduce"):
    return Setting(group, name, ((f"{group}_{name}".upper(), "1"),))


class Fake:
    """Times by setting, with noise of a given spread and a drift that all share."""

    def __init__(self, times, noise=0.01, fails=(), seed=3):
        self.times, self.noise, self.fails = times, noise, fails
        self.random, self.asked = random.Random(seed), []

    def __call__(self, one, limit_s):
        self.asked.append(one.label)
        if one.label in self.fails:
            raise LaunchFailed("ended with status 13: unknown algorithm")
        base = 1.0
        for name, factor in self.times.items():
            base *= factor if name in one.label else 1.0
        drift = 1.0 + 0.002 * len(self.asked)
        return base * drift * self.random.uniform(1.0 - self.noise, 1.0 + self.noise)


def test_a_setting_that_helps_is_found_with_its_gain():
    fake = Fake({"ring": 0.8, "bruck": 1.5})
    tuning = tune([setting("ring"), setting("bruck")], fake, Tuning("Open MPI"))
    assert tuning.complete and tuning.helps and tuning.winner.name == "ring"
    assert tuning.gain.value == pytest.approx(0.8, rel=0.05) and tuning.gain.high < 1.0
    loser = next(one for one in tuning.trials if one.setting.name == "bruck")
    assert "dropped" in loser.ended and len(loser.ratios) == 2, "a clear loser is launched twice"
    assert display.export_lines(tuning) == ["export ALLREDUCE_RING=1"]
    assert "saves 20 %" in display.verdict(tuning)


def test_defaults_and_settings_take_turns():
    fake = Fake({})
    tune([setting("ring")], fake, Tuning("Open MPI"), rounds=4)
    screening = fake.asked[1:9]
    assert all(sorted(screening[at : at + 2]) == ["allreduce: ring", "as it is"] for at in range(0, 8, 2))


def test_when_nothing_helps_that_is_said():
    helped = 0
    for seed in range(20):
        tuning = tune(
            [setting(str(k)) for k in range(8)], Fake({}, 0.05, seed=seed), Tuning("Open MPI"), seed=seed
        )
        helped += tuning.helps
        assert ("Nothing" in display.verdict(tuning)) != tuning.helps
    assert helped <= 2, "luck in choosing is no gain: fresh launches decide"


def test_what_does_nothing_is_not_set_together_with_what_helps():
    kept = []
    for seed in range(20):
        settings = [setting("ring"), *(setting("odd", f"group{k}") for k in range(24))]
        tuning = tune(settings, Fake({"ring": 0.85}, 0.05, seed=seed), Tuning("Open MPI"), seed=seed)
        assert tuning.helps and "ALLREDUCE_RING" in dict(tuning.winner.environment)
        kept.append(len(tuning.winner.environment) - 1)
    assert sum(kept) < 40, "of 24 settings that do nothing fewer than two are taken along"


def test_a_damaged_confirmation_is_no_gain():
    """A setting that was fast only while it was chosen."""
    fake = Fake({"ring": 0.7})

    def launch(one, limit_s):
        took = fake(one, limit_s)
        return took / 0.7 if one.group and len(fake.asked) > 12 else took

    tuning = tune([setting("ring")], launch, Tuning("Open MPI"))
    assert tuning.winner is not None and not tuning.helps


def test_winners_of_groups_are_combined():
    tuning = tune(
        [setting("ring"), setting("core", "binding")], Fake({"ring": 0.8, "core": 0.9}), Tuning("Open MPI")
    )
    assert dict(tuning.winner.environment) == {"ALLREDUCE_RING": "1", "BINDING_CORE": "1"}
    assert tuning.gain.value == pytest.approx(0.72, rel=0.05)


def test_a_failing_setting_is_told_and_skipped():
    fake = Fake({"ring": 0.8}, fails=("allreduce: odd",))
    tuning = tune([setting("odd"), setting("ring")], fake, Tuning("MPICH"))
    assert fake.asked.count("allreduce: odd") == 1 and tuning.helps
    assert "unknown algorithm" in next(one for one in tuning.trials if one.setting.name == "odd").ended


def test_a_combination_that_fails_helps_nobody():
    label = "allreduce: ring and binding: core"
    fake = Fake({"ring": 0.8, "core": 0.9}, fails=(label,))
    tuning = tune([setting("ring"), setting("core", "binding")], fake, Tuning("MPICH"))
    assert tuning.gain is None and not tuning.helps
    assert "failed when it was launched again" in display.verdict(tuning) and any(
        label in text for text in tuning.told
    )


def test_a_program_that_fails_without_settings_is_an_error():
    with pytest.raises(UserError, match=r"fails without any setting.*unknown algorithm"):
        tune([setting("ring")], Fake({}, fails=(DEFAULT.label,)), Tuning("MPICH"))


def test_ctrl_c_keeps_what_was_measured():
    fake = Fake({"ring": 0.8})

    def launch(one, limit_s):
        if len(fake.asked) == 6:
            raise KeyboardInterrupt
        return fake(one, limit_s)

    tuning = tune([setting("ring")], launch, Tuning("Open MPI"))
    assert not tuning.complete and not tuning.helps and len(tuning.default_times) >= 2
    assert tuning.as_dict()["settings"][0]["times"] and "Interrupted" in display.verdict(tuning)


def line(kind="openmpi", words=("mpirun", "-n", "2", "./p"), flavour=None, path="/nowhere"):
    found = CommandLine(Launch(kind, 2, typed=tuple(words[:-1])), tuple(words[-1:]))
    found.__dict__["executable"] = Executable(path, None, flavour)
    return found


def test_settings_of_each_library():
    ours = settings.choose(line(), 4, ["alltoall"])
    assert [one.name for one in ours.settings] == [
        "compact",
        "scatter",
        "none",
        "linear",
        "pairwise",
        "bruck",
        "linear_sync",
    ]
    assert ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1") in ours.settings[-1].environment
    newer = settings.choose(line(), 5, [])
    assert newer.settings[0].environment[0][0].startswith("PRTE_MCA_") and "no collectives" in newer.told[0]
    other = settings.choose(line("mpich"), 4, ["bcast"])
    assert other.settings[-1].environment == (("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "scatter_ring_allgather"),)
    assert other.settings[0].environment == (("HYDRA_BINDING", "core"),)


def test_every_setting_of_the_table_is_tried_in_order():
    numbers = [one.environment[1][1] for one in settings._algorithms("openmpi", "bcast")]
    assert numbers == ["1", "2", "3", "6", "9"]
    assert settings.collectives() == ["allgather", "allreduce", "alltoall", "bcast", "reduce"]


def test_a_binding_that_is_said_is_left_alone():
    said = settings.choose(line(words=("mpirun", "--bind-to", "core", "./p")), 4, [])
    assert said.settings == [] and "--bind-to" in said.told[0]
    batch = settings.choose(line("srun", flavour="mpich"), 4, ["bcast"])
    assert all(one.group == "bcast" for one in batch.settings) and "binding is not tried" in batch.told[0]
    assert "nothing is known" in settings.choose(line("srun", flavour="other"), 4, []).told[0]


def test_one_rank_has_no_collectives():
    alone = line()
    alone.__dict__["launch"] = Launch("openmpi", 1)
    found = settings.choose(alone, 4, ["bcast"])
    assert all(one.group == "binding" for one in found.settings) and "there is one rank" in found.told[0]


def test_only_collectives_that_are_called_are_tried(tmp_path):
    program = tmp_path / "p"
    program.write_bytes(b"\x7fELF..\0MPI_Alltoall\0MPI_Init\0mpi_bcast_\0")
    assert settings.calls(program) == ["alltoall", "bcast"]
    program.write_text("import mpi4py")
    assert settings.calls(program) == settings.collectives() == settings.calls(tmp_path / "none")
    version = launcher("openmpi").version
    assert (version("mpirun (Open MPI) 5.0.3"), version("?")) == (5, None)


def python(code):
    return CommandLine(Launch("direct", typed=()), (sys.executable, "-c", code))


def test_launches_are_timed_and_failures_are_words():
    assert Timed(python("pass"))(DEFAULT, 60.0) > 0.0
    assert Timed(python("print('t = 3.5'); print('t = 2.5')"), r"t = ([\d.]+)")(DEFAULT, 60.0) == 2.5
    chosen = Setting("g", "n", (("HAKARU_TUNE_TEST", "7"),))
    assert (
        Timed(python("import os; print('t', os.environ['HAKARU_TUNE_TEST'])"), r"t (\d+)")(chosen, 60.0)
        == 7.0
    )
    for code, pattern, expected in (
        ("import sys; sys.exit('no memory')", None, "status 1: no memory"),
        ("print('done')", r"t = ([\d.]+)", "printed nothing that matches"),
        ("print('t = x')", r"t = (\w)", "where a time was expected"),
        ("print('t = 0')", r"t = (\d)", "where a time was expected"),
    ):
        with pytest.raises(LaunchFailed, match=expected):
            Timed(python(code), pattern)(DEFAULT, 60.0)
    with pytest.raises(LaunchFailed, match="took longer than"):
        Timed(python("import time; time.sleep(60)"))(DEFAULT, 0.2)
    with pytest.raises(LaunchFailed, match="it said nothing"):
        Timed(python("import sys; sys.exit(3)"))(DEFAULT, 60.0)


@pytest.mark.parametrize(
    ("pattern", "expected"), [("(", "no regular expression"), ("t", "0 groups"), ("(a)(b)", "2 groups")]
)
def test_patterns_are_checked(pattern, expected):
    with pytest.raises(UserError, match=expected):
        check_pattern(pattern)


def test_the_sentence_gives_the_interval():
    tuning = Tuning(
        "Open MPI",
        complete=True,
        winner=setting("ring"),
        gain=median_interval([0.9, 0.91, 0.92, 0.93, 0.94, 0.95]),
    )
    assert "5.0 % to 10 %" in display.verdict(tuning)
    tuning.gain = median_interval([0.9, 0.95, 1.0, 1.1, 0.97, 1.2])
    assert "Nothing is shown to help" in display.verdict(tuning)
    assert display.verdict(Tuning("MPICH", complete=True)).startswith("Nothing helps")


@pytest.fixture
def mpirun(tmp_path, monkeypatch):
    """A launcher that says it is Open MPI's and runs the program once, without ranks."""
    launcher = tmp_path / "mpirun"
    launcher.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }\nshift 2\nexec "$@"\n'
    )
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return launcher


def run(tmp_path, program, *options):
    from hakaru.cli import register_commands
    from hakaru.cli import root as app

    register_commands()
    words = [
        "tune",
        "--results",
        str(tmp_path / "results"),
        *options,
        "--",
        str(tmp_path / "mpirun"),
        "-n",
        "2",
        str(program),
    ]
    return CliRunner().invoke(app, words)


def test_the_command_stores_and_prints_what_to_export(tmp_path, mpirun):
    program = tmp_path / "program"
    program.write_text(
        '#!/bin/sh\n[ "$OMPI_MCA_coll_tuned_alltoall_algorithm" = 3 ] && echo "t 1" || echo "t 2"\n'
    )
    program.chmod(0o755)
    done = run(
        tmp_path, program, "--time", r"t (\d)", "--collective", "alltoall", "--rounds", "3", "--pairs", "6"
    )
    assert done.exit_code == 0, done.output
    assert "export OMPI_MCA_coll_tuned_alltoall_algorithm=3" in done.stdout and "saves 50 %" in done.stdout
    stored = list((tmp_path / "results" / "tunings").glob("*.json"))
    assert json.loads(stored[0].read_text())["helps"] is True
    assert (
        json.loads(run(tmp_path, program, "--time", r"t (\d)", "--collective", "alltoall", "--json").stdout)[
            "gain"
        ]["value"]
        == 0.5
    )


def test_errors_of_the_command(tmp_path, mpirun):
    from hakaru.run.tune import command

    def ask(words, collectives=None):
        return command.run(words, None, 3, 6, collectives, Path(tmp_path), lambda _: None)

    with pytest.raises(UserError, match="nothing to tune"):
        ask([])
    with pytest.raises(UserError, match="no collective 'scan'"):
        ask([str(mpirun), "-n", "2", "true"], ["scan"])
    with pytest.raises(UserError, match="was not found"):
        ask(["no-such-launcher", "true"])
    with pytest.raises(UserError, match="fails without any setting"):
        ask([str(mpirun), "-n", "2", "false"])
    with pytest.raises(UserError, match="seems to use no MPI"):
        ask(["true"])


def test_an_interrupted_command_ends_with_130_and_a_file(tmp_path, mpirun, monkeypatch):
    def interrupted(settings, launch, tuning, *_):
        tuning.default_times.append(1.0)

    monkeypatch.setattr("hakaru.run.tune.command.tune", interrupted)
    done = run(tmp_path, "true")
    assert done.exit_code == 130 and "Interrupted" in done.stdout
    assert list((tmp_path / "results" / "tunings").glob("*.json"))
