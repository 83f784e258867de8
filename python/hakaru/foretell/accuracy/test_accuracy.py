"""What is said of errors, and one comparison on a real lab held against what its links allow."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.traces.trace import TraceFolder
from hakaru.foretell.accuracy import measure
from hakaru.foretell.accuracy import validate as module
from hakaru.foretell.accuracy.cases import FASTEST, SLOWEST, Setting, Workload, drawn
from hakaru.foretell.accuracy.lab_cases import Kept, LabCase, LabFailure, OnLab, summary
from hakaru.foretell.accuracy.measure import Leaf
from hakaru.foretell.accuracy.validate import validate
from hakaru.run.lab.fixtures import why_not

REASON = why_not()


def case(predicted_s: float, *launches_s: float) -> LabCase:
    return LabCase("program", "lab", (predicted_s,) * len(launches_s), launches_s)


def test_error_and_spread_of_a_case():
    one = case(1.1, 0.9, 1.0, 1.2)
    assert one.error == pytest.approx(0.1) and one.spread == pytest.approx(0.1)
    assert case(0.5, 1.0).error == pytest.approx(-0.5)


def test_error_is_that_of_neighbours_whatever_the_machine_does_meanwhile():
    one = LabCase(
        "program", "lab", (1.1, 2.2, 1.1), (1.0, 2.0, 2.0)
    )  # the machine's speed halves for two of three turns
    assert one.error == pytest.approx(0.1)
    assert one.predicted_s == 1.1 and one.measured_s == 2.0


@pytest.mark.parametrize("problem", [None, "rank 1 ends in the middle"])
def test_of_a_trace_its_archive_alone_is_left(tmp_path, monkeypatch, problem):
    monkeypatch.setattr(TraceFolder, "convert", lambda folder: problem)
    folder = TraceFolder(tmp_path).make()
    if problem:
        with pytest.raises(UserError, match="the trace of one cannot be converted"):
            measure.converted(tmp_path, "one")
    else:
        assert measure.converted(tmp_path, "one") == folder.archive
    assert folder.raw.is_dir() == bool(problem)


def test_summary_counts_the_size_of_errors_not_their_sign():
    cases = [case(1.0 + 0.01 * (-1) ** i * i, 1.0) for i in range(1, 11)]
    told = summary(cases)
    assert told["cases"] == 10
    assert told["median_error"] == pytest.approx(0.055)
    assert told["error_of_90_percent"] == pytest.approx(0.09)
    assert told["median_spread"] == 0.0


def test_summary_names_how_many_are_far_the_largest_and_the_bias():
    told = summary([case(0.8, 1.0), case(0.9, 1.0), case(1.05, 1.0)])
    assert told["far"] == 1 and told["largest_error"] == pytest.approx(0.2)
    assert told["bias"] == pytest.approx(-0.1) and told["programs"] == 1


def test_settings_at_random_are_the_seeds_and_within_bounds():
    settings = drawn(200, 7)
    assert settings == drawn(200, 7) and settings != drawn(200, 8)
    assert len({setting.name for setting in settings}) == 200
    for setting in settings:
        assert FASTEST.latency_s <= setting.latency_s <= SLOWEST.latency_s
        assert SLOWEST.rate_bytes_per_s <= setting.rate_bytes_per_s <= FASTEST.rate_bytes_per_s
    assert sum(setting.latency_s < 316e-6 for setting in settings) == pytest.approx(100, abs=25)


class Stand:
    """A program that needs no lab; ``broken`` in this turn of this launch."""

    ranks = 2

    def __init__(self, name: str, broken: int | None = None):
        self.name, self.broken, self.turns = name, broken, 0

    def trace(self, folder: Path, real_time: bool) -> Path:
        return folder

    def predict(self, archive: Path, network: object) -> float:
        return 1.1

    def run_there(self, cluster: object, folder: Path, real_time: bool) -> float:
        self.turns += 1
        if self.turns == self.broken:
            raise UserError("it broke", "a reason")
        return 1.0


@pytest.fixture
def no_lab(monkeypatch):
    monkeypatch.setattr(module, "Cluster", lambda *setting: nullcontext())
    for name in ("probe_here", "lab_machine", "network_of"):
        monkeypatch.setattr(measure, name, lambda *given: None)
    monkeypatch.setattr(module, "handover_s", lambda: 4e-8)


SETTINGS = [Setting(1e-3, 1.25e7), Setting(2e-3, 1.25e7)]


def held(programs: list[Stand], folder: Path, settings: list[Setting] = SETTINGS) -> list[OnLab]:
    return validate(settings, programs, 3, False, Kept(folder), lambda text: None)


def test_a_program_that_breaks_is_told_and_the_others_go_on(no_lab, tmp_path):
    (lab,) = held([Stand("whole"), Stand("broken", 2)], tmp_path, SETTINGS[:1])
    assert [one.workload for one in lab.cases] == ["whole"] and len(lab.cases[0].launches_s) == 3
    assert lab.failures == (LabFailure("broken", SETTINGS[0].name, "it broke: a reason"),)


@pytest.mark.parametrize(("changes", "turns"), [(0, 3), (1, 4), (2, 5), (9, 9)])
def test_a_turn_in_which_the_cores_change_their_state_is_made_again(
    no_lab, monkeypatch, tmp_path, changes, turns
):
    """Not more than twice: where they never rest, the last try counts."""
    states = iter(np.repeat([4e-8, 1.8e-7] * changes + [4e-8] * 99, module.READINGS))
    monkeypatch.setattr(module, "handover_s", lambda: next(states))
    program = Stand("one")
    (lab,) = held([program], tmp_path, SETTINGS[:1])
    assert program.turns == turns and len(lab.cases[0].launches_s) == 3


def test_finished_labs_are_kept_and_not_measured_again(no_lab, tmp_path):
    first = held([Stand("one")], tmp_path, SETTINGS[:1])
    again = Stand("one")
    both = held([again], tmp_path)
    assert both[0] == first[0] and again.turns == 3  # the second lab's alone


def test_a_round_that_is_over_is_measured_anew(no_lab, tmp_path):
    held([Stand("one")], tmp_path)
    Kept(tmp_path).forget([setting.name for setting in SETTINGS])
    again = Stand("one")
    held([again], tmp_path)
    assert again.turns == 6 and len(list(tmp_path.iterdir())) == 2


def test_what_was_asked_otherwise_or_is_damaged_is_measured_anew(no_lab, tmp_path):
    held([Stand("one")], tmp_path)
    other = Stand("other")
    held([other], tmp_path)
    assert other.turns == 6
    for path in tmp_path.iterdir():
        path.write_text(path.read_text()[:-9])
    other = Stand("other")
    held([other], tmp_path)
    assert other.turns == 6


@pytest.mark.skipif(REASON is not None, reason=REASON or "")
def test_prediction_and_run_both_pay_for_latency_and_rate(monkeypatch, tmp_path):
    monkeypatch.setitem(measure.LAB_PROBES, "messages", {"time_s": 12})
    steps, latency_s, rate = 20, 1e-3, 1.25e7
    workload = Workload("heat", ("n=512", f"steps={steps}"), 2)
    kept = Kept(tmp_path)
    (lab,) = validate([Setting(latency_s, rate)], [Leaf(workload)], 1, False, kept, lambda text: None)
    (found,) = lab.cases
    # One line of 512 cells each way a step: no step is shorter than the latency and the line's bytes over the rate.
    least_s = steps * (latency_s + 8 * 512 / rate)
    assert found.measured_s > least_s and found.predicted_s > least_s
