"""What commands ask to be built."""

import pytest

from hakaru.own.setup import targets
from hakaru.start import targets_of

ENGINE = "hakaru_replay"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("run", {"memory_bandwidth"}),
        ("probe messages --name noise", {"messages"}),
        ("predict himeno nx=64", {"himeno"}),
        ("replay schedule:turbulence,n=128 --ranks 64", {ENGINE, "turbulence"}),
        ("study ssken-mpi --page noise", {ENGINE, "collectives"}),
        ("tune -- mpirun -n 2 ./p", {ENGINE, *targets.MEASURE}),
        ("replay x.json --timeline x.html", {ENGINE, *targets.TRACES, *targets.TIMELINES}),
        ("trace export --csv t -o x.csv", {*targets.MEASURE, *targets.TIMELINES}),
        ("lab up --hosts 2", {"lab_switch", "lab_pingpong"}),
        ("test", {"all"}),
    ],
)
def test_a_command_asks_for_what_its_words_name(line, wanted):
    assert set(targets_of(line.split())) == wanted


@pytest.mark.parametrize(
    "line",
    [
        "doctor",
        "bench stencil",
        "study",
        "predict --track-record",
        "predict nothing_known n=9",
        "measure",
        "trace",
        "run --help",
        "nothing",
        "",
    ],
)
def test_what_runs_no_program_asks_for_none(line):
    assert targets_of(line.split()) is None


def test_a_dry_run_asks_for_the_whole_plan():
    assert {"memory_bandwidth", "messages", "himeno", "turbulence"} <= set(targets_of(["run", "--dry-run"]))


def test_values_of_options_name_no_probe():
    assert set(targets_of(["probe", "--name", "noise"])) == set(targets.leaves("probe"))


def test_a_campaign_asks_for_its_programs_in_its_order(tmp_path):
    file = tmp_path / "campaign.toml"
    file.write_text('name = "noise"\n[[runs]]\nprogram = "heat"\n[[runs]]\nprogram = "ep"\n')
    assert targets_of(["campaign", str(file), "--dry-run"]) == ["heat", "ep"]
    file.write_text(file.read_text() + '[[runs]]\nprogram = "theirs"\n')
    assert targets_of(["campaign", str(file)]) == [*targets.MEASURE, "heat", "ep"]
    assert targets_of(["campaign", str(tmp_path / "missing.toml")]) == []


@pytest.mark.parametrize(
    ("line", "expected"), [("run", True), ("doctor", False), ("x", False), ("run -h", False)]
)
def test_packages_are_fetched_early_for_commands_that_build(line, expected):
    assert targets.will_build(line.split()) is expected
