"""What is said of errors, and one comparison on a real lab held against what its links allow."""

import pytest

from hakaru.foretell.accuracy import measure
from hakaru.foretell.accuracy.cases import Setting, Workload
from hakaru.foretell.accuracy.measure import Leaf
from hakaru.foretell.accuracy.validate import LabCase, summary, validate
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


def test_summary_counts_the_size_of_errors_not_their_sign():
    cases = [case(1.0 + 0.01 * (-1) ** i * i, 1.0) for i in range(1, 11)]
    told = summary(cases)
    assert told["cases"] == 10
    assert told["median_error"] == pytest.approx(0.055)
    assert told["error_of_90_percent"] == pytest.approx(0.09)
    assert told["median_spread"] == 0.0


@pytest.mark.skipif(REASON is not None, reason=REASON or "")
def test_prediction_and_run_both_pay_for_latency_and_rate(monkeypatch):
    monkeypatch.setitem(measure.LAB_PROBES, "messages", {"time_s": 12})
    steps, latency_s, rate = 20, 1e-3, 1.25e7
    workload = Workload("heat", ("n=512", f"steps={steps}"), 2)
    (found,) = validate([Setting(latency_s, rate)], [Leaf(workload)], 1, False, lambda text: None)
    # One line of 512 cells each way a step: no step is shorter than the latency and the line's bytes over the rate.
    least_s = steps * (latency_s + 8 * 512 / rate)
    assert found.measured_s > least_s and found.predicted_s > least_s
