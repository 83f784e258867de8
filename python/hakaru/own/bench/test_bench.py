"""Interleaving, the bench files, and the command."""

import json
import multiprocessing
import time

import pytest
import typer
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.base.statistics import median_interval
from hakaru.cli import bench as command
from hakaru.own.bench import find_benches, interleave, row, run_benches, runner
from hakaru.own.bench.interleaving import Interleaved
from hakaru.own.setup.needs import NEEDS

GOOD = """
from hakaru.own.bench import interleave, row
from _helper import two
def run():
    result = interleave({"ours": lambda: 1.0, "peer": lambda: two()}, 7)
    return [row("good", "ratio", result.ratio("ours", "peer"), "1", bound=1.0, peer=1.0)]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "_helper.py").write_text("def two():\n    return 2.0\n")
    monkeypatch.setattr(runner, "bench_folder", lambda: tmp_path)
    monkeypatch.setattr(runner, "lock_file", lambda: tmp_path / "lock")
    return tmp_path


def test_every_round_meets_every_competitor_in_alternating_order():
    order = []
    functions = {name: lambda name=name: order.append(name) or 1.0 for name in "abc"}
    result = interleave(functions, rounds=4, warmup=1)
    assert "".join(order) == "cba" + "abc" + "cba" + "abc" + "cba"
    assert {name: len(samples) for name, samples in result.samples.items()} == {"a": 4, "b": 4, "c": 4}


def test_a_function_that_returns_nothing_is_timed():
    result = interleave({"sleep": lambda: time.sleep(0.01), "figure": lambda: 5}, rounds=2, warmup=0)
    assert min(result.samples["sleep"]) >= 0.01
    assert result.samples["figure"] == [5.0, 5.0]


def test_ratios_are_formed_inside_a_round():
    result = Interleaved({"ours": [1.0, 20.0, 3.0], "peer": [2.0, 10.0, 6.0]})
    assert result.ratio("ours", "peer").value == 0.5
    assert result.interval("ours").value == 3.0


def test_a_common_drift_does_not_touch_the_ratio():
    drift = [1.0 + 0.1 * step for step in range(9)]
    result = Interleaved({"ours": [2.0 * d for d in drift], "peer": drift})
    ratio = result.ratio("ours", "peer")
    assert (ratio.low, ratio.value, ratio.high) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(("functions", "rounds"), [({}, 1), ({"a": lambda: 1.0}, 0)])
def test_nothing_to_compare_is_an_error(functions, rounds):
    with pytest.raises(ValueError, match="at least one"):
        interleave(functions, rounds)


def test_helpers_and_tests_are_no_benches(folder):
    for name in ("_other.py", "test_good.py", "conftest.py", "peer.cpp"):
        (folder / name).write_text("")
    assert list(find_benches(folder)) == ["good"]


def test_a_bench_gives_checked_rows(folder):
    (outcome,) = run_benches([])
    assert outcome.failure is None
    assert outcome.rows == [
        {
            "bench": "good",
            "figure": "ratio",
            "value": 0.5,
            "unit": "1",
            "bound": 1.0,
            "peer": 1.0,
            "interval": [0.5, 0.5],
        }
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def run():\n    raise RuntimeError('no compiler')", "RuntimeError: no compiler (bad.py:2)"),
        ("import no_such_module", "ModuleNotFoundError"),
        ("def run():\n    return []", "no rows"),
        ("def run():\n    return [{'bench': 'bad'}]", "missing ['figure'"),
        ("import sys\ndef run():\n    sys.exit(3)", "SystemExit: 3"),
        ("nothing = 1", "AttributeError"),
    ],
)
def test_a_failing_bench_is_named_and_the_others_run(folder, text, reason):
    (folder / "bad.py").write_text(text)
    bad, good = run_benches([])
    assert (bad.name, good.name) == ("bad", "good")
    assert reason in bad.failure and good.failure is None


def test_a_value_outside_its_interval_is_refused():
    wrong = row("b", "f", median_interval([1.0, 2.0, 3.0]), "s") | {"value": 9.0}
    with pytest.raises(ValueError, match="outside its interval"):
        runner.check_row(wrong)


def test_an_unknown_bench_names_those_known(folder):
    with pytest.raises(UserError, match="there is no bench fast .*known: good"):
        list(run_benches(["fast"]))


def hold(folder, begun):
    with runner.measuring_alone(folder / "lock"):
        begun.set()
        time.sleep(0.5)
        (folder / "ended").touch()


def test_two_benches_never_overlap(tmp_path, capfd):
    begun = multiprocessing.Event()
    other = multiprocessing.Process(target=hold, args=(tmp_path, begun))
    other.start()
    begun.wait(10)
    with runner.measuring_alone(tmp_path / "lock"):
        assert (tmp_path / "ended").exists()
        assert "another bench is running" in capfd.readouterr().err
    other.join()


@pytest.fixture
def app():
    app = typer.Typer()
    command.register(app)
    return app


def test_json_is_one_object_a_line(folder, app):
    done = CliRunner().invoke(app, ["--json"])
    assert done.exit_code == 0, done.output
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["value"] == 0.5


def test_the_table_shows_figure_bound_and_peer(folder, app):
    done = CliRunner().invoke(app, ["good"])
    assert done.exit_code == 0
    title, header, line = done.stdout.splitlines()
    assert title.split() == ["good"]
    assert header.split() == ["figure", "median", "(95", "%", "interval)", "bound", "peer"]
    assert line.split() == ["ratio", "0.500", "(0.500", "to", "0.500)", "1", "1"]


def test_a_failure_ends_with_a_non_zero_exit_code(folder, app):
    (folder / "bad.py").write_text("def run():\n    raise RuntimeError('no compiler')")
    done = CliRunner().invoke(app, ["--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout.splitlines()[0])["bench"] == "good"
    assert "bench bad failed (RuntimeError: no compiler" in done.stderr


def test_what_a_bench_needs_is_installed_before_it_runs(folder, monkeypatch):
    (folder / "needy.py").write_text('NEEDS = ("fortran",)\n' + GOOD)
    asked = []
    monkeypatch.setattr(runner, "ensure_packages", asked.append)
    assert [outcome.failure for outcome in run_benches(["needy", "good"])] == [None, None]
    assert asked == [("fortran",), ()]


def test_what_cannot_be_installed_is_named(folder, monkeypatch):
    (folder / "needy.py").write_text('NEEDS = ("fortran",)\ndef run():\n    raise AssertionError\n')
    monkeypatch.setenv("PATH", str(folder))
    (outcome,) = run_benches(["needy"])
    assert "a Fortran compiler" in outcome.failure and "gfortran" in outcome.failure


def test_every_bench_says_what_it_needs():
    """By what it calls: benches with a Fortran peer, and purposes that are known."""
    for name, path in find_benches().items():
        needs = getattr(runner.load(path), "NEEDS", ())
        assert set(needs) <= {need.purpose for need in NEEDS}, name
        text = path.read_text()
        assert ("gfortran" in text or "compile_fortran" in text) == ("fortran" in needs), name
