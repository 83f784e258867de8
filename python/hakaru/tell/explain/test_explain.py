import copy
import json

import msgspec
import pytest

from hakaru.base.paths import root
from hakaru.facts.forecasts import Forecast
from hakaru.facts.machines.machine import UNKNOWN, Machine
from hakaru.facts.records.fixtures import changed
from hakaru.facts.records.record import STARTING
from hakaru.tell.explain import advice, conditions, explain, fixtures
from hakaru.tell.explain.summary import _forecast_lines, machine_line, summary_lines


@pytest.fixture(scope="module")
def results():
    return fixtures.results()


def _advice(records, machine, about):
    return [item for item in explain(records, machine, []).advice if item.about == about]


def test_everything_is_plain_json(results):
    numbers = json.loads(json.dumps(explain(*results).as_dict(), allow_nan=False))
    assert {case["label"] for case in numbers["cases"]} >= {"himeno size=M, iterations=30", "turbulence n=64"}
    assert numbers["cases"][0]["layouts"][1]["efficiency"]["load_balance"] < 1.0


def test_memory_bound_program_is_told_so(results):
    records, machine, _ = results
    found = _advice(records, machine, "himeno size=M, iterations=30")
    assert "memory limits it" in found[0].what and "cores share it" in found[0].what


def test_cache_resident_problem_is_told_so(results):
    records, machine, _ = results
    small = next(
        case for case in explain(records, machine, []).cases if case.label == "himeno size=S, iterations=100"
    )
    assert "inside the cache" in advice.limit(small).what


def test_messages_are_named_when_they_cost_most(results):
    records, machine, _ = results
    assert "messages take" in _advice(records, machine, "turbulence n=128")[0].what


def test_unequal_ranks_are_named():
    repetition = fixtures.repetition({"work": [1.0, 2.0]})
    more = {"layout": fixtures.layout(2, 1), "phases": [{"name": "work", "kind": "compute"}]}
    case = explain([fixtures.record("a", 0, [repetition], **more)], UNKNOWN, []).cases[0]
    assert "unequal work (load balance 75 %)" in advice.limit(case).what


def test_starting_mpi_is_no_wait_for_a_slower_rank():
    """Of a program that was measured as it is: one rank has nobody to wait for."""
    repetition = fixtures.repetition({"computing": [0.6], STARTING: [0.4]})
    kinds = [{"name": "computing", "kind": "compute"}, {"name": STARTING, "kind": "idle"}]
    more = {"layout": fixtures.layout(1, 1), "phases": kinds}
    case = explain([fixtures.record("a", 0, [repetition], **more)], UNKNOWN, []).cases[0]
    told = advice.limit(case)
    assert f"{STARTING} takes 40 % of the time" in told.what and "larger sizes" in told.do


@pytest.mark.parametrize(
    ("flat", "hybrid", "words"),
    [
        ((1.0, 1.1), (2.0, 2.1), "flat MPI wins"),
        ((2.0, 2.1), (1.0, 1.1), "MPI + OpenMP wins"),
        ((1.0, 1.3), (1.2, 1.4), "too close to call"),
    ],
)
def test_flat_or_hybrid(flat, hybrid, words):
    records = [
        fixtures.record(
            "a",
            10 * threads + i,
            [fixtures.repetition({"w": [t] * ranks})],
            layout=fixtures.layout(ranks, threads),
        )
        for ranks, threads, times in ((2, 1, flat), (1, 2, hybrid))
        for i, t in enumerate(times)
    ]
    assert words in advice.flat_or_hybrid(explain(records, UNKNOWN, []).cases[0]).what


def test_wrong_matrix_product_kernel_is_found():
    machine = fixtures.machine()
    assert not any("matrix product" in item.what for item in explain([], machine, []).advice)
    slow = machine.with_facts("compute.dgemm", [one.times(0.2) for one in machine.facts("compute.dgemm")])
    assert any("OPENBLAS_CORETYPE" in item.do for item in explain([], slow, []).advice)


def test_forecast_errors_and_intervals(results):
    explanation = explain(*results)
    first, second, third = explanation.forecasts
    assert first.error == pytest.approx(0.25) and first.inside is False
    assert second.error == pytest.approx(0.04, abs=0.001) and second.inside is True
    assert third.error is None and third.measured is None
    assert second.label == "turbulence n=128"
    assert second.phases[0].measured_s > 0.0 and third.phases[0].measured_s is None
    track = explanation.track_record
    assert (track.scored, track.inside, track.worst_error) == (2, 1, pytest.approx(0.25))


def test_a_forecast_made_again_from_the_same_facts_counts_once(results):
    records, machine, forecasts = results
    again = msgspec.structs.replace(forecasts[1], id="forecast-0009", created="2026-11-21T12:00:00Z")
    assert explain(records, machine, [*forecasts, again]).track_record.scored == 2
    again = msgspec.structs.replace(again, facts=(*again.facts, "another record"))
    assert explain(records, machine, [*forecasts, again]).track_record.scored == 3


@pytest.mark.parametrize("kind", ["record", "forecast", "machine"])
def test_the_made_up_results_follow_the_schemas(results, kind):
    from jsonschema import Draft202012Validator

    schema = json.loads((root() / "schema" / f"{kind}.schema.json").read_text())
    files = {
        "record": [record.as_dict() for record in results[0]],
        "machine": [results[1].tree],
        "forecast": [forecast.as_dict() for forecast in results[2]],
    }[kind]
    for file in files:
        assert [error.message for error in Draft202012Validator(schema).iter_errors(file)] == []


def test_summary_is_ten_lines_with_forecast_and_next_step(results):
    records, machine, forecasts = results
    lines = summary_lines(explain(records, machine, forecasts), machine)
    assert len(lines) <= 10
    assert lines[0].startswith("Machine example: 2 cores, 95.0 Gflop/s, memory 22.0 GB/s")
    assert any("error +4.0 %, inside the interval" in line for line in lines)
    assert lines[-1].startswith("Next (1 run failed)")


@pytest.mark.parametrize(
    ("in_state", "says"),
    [
        (5, "the interval)."),
        (0, ", though no launch met the machine's usual state."),
        (2, "; in its usual state, which 2 of 5 launches met, 500 ms (+20 %)."),
    ],
)
def test_a_forecast_of_one_state_tells_what_the_runs_took_that_met_it(in_state, says):
    made = fixtures.scored(fixtures.results()[2][0], 0.4, ["a"])
    measured = msgspec.structs.replace(made.score.measured, left_alone_s=0.5, in_state=in_state)
    usual = msgspec.structs.replace(made.time_s, low=0.5, value=0.6, high=0.7)
    score = msgspec.structs.replace(made.score, measured=measured)
    line = _forecast_lines(explain([], UNKNOWN, [msgspec.structs.replace(made, usual_s=usual, score=score)]))[
        0
    ]
    assert line.endswith(says)


def test_summary_stays_short_with_many_programs():
    records = [fixtures.record(f"program{i}", i, [fixtures.repetition({"w": [1.0]})]) for i in range(30)]
    lines = summary_lines(explain(records, UNKNOWN, []), UNKNOWN)
    assert len(lines) == 10 and any("and 25 more programs" in line for line in lines)


def test_nothing_measured_says_what_to_do():
    lines = summary_lines(explain([], UNKNOWN, []), UNKNOWN)
    assert "no successful run yet" in lines[1] and "hakaru probe" in lines[-1]


@pytest.mark.parametrize(
    ("change", "title"),
    [
        ({"layout": fixtures.layout(2, 2, oversubscribed=True)}, "1 run oversubscribed"),
        (
            {"layout": fixtures.layout(2, 1, binding_problems=["rank 0 moved"])},
            "binding not as it should be in 1 run",
        ),
        ({"environment": fixtures.environment(steal_s=1.0)}, "the hypervisor took time away in 1 run"),
        (
            {"environment": fixtures.environment(involuntary_switches=9999)},
            "other work pushed 1 run off the cores",
        ),
        (
            {"environment": fixtures.environment(load_average=[6.0, 6.0])},
            "the machine was already busy before 1 run",
        ),
        ({"environment": fixtures.environment(major_faults=5000)}, "pages were read from disk in 1 run"),
        ({"verdict": "failed"}, "1 result wrong"),
        (
            {"status": "failed", "failure": {"reason": "r", "exit_code": 1, "standard_error": ""}},
            "1 run failed",
        ),
    ],
)
def test_what_spoils_measurements_is_found(change, title):
    calm = fixtures.record("a", 0, [fixtures.repetition({"w": [1.0] * 2})], layout=fixtures.layout(2, 1))
    assert conditions.findings([calm], []) == []
    assert [finding.title for finding in conditions.findings([changed(calm, **change)], [])] == [title]


def test_oversubscribed_layouts_never_win():
    slow = fixtures.record("a", 0, [fixtures.repetition({"w": [2.0]})])
    over = fixtures.layout(4, 1, oversubscribed=True)
    fast = fixtures.record("a", 1, [fixtures.repetition({"w": [1.0] * 4})], layout=over)
    case = explain([slow, fast], UNKNOWN, []).cases[0]
    assert case.best.cores == 1 and case.layouts[1].oversubscribed


def test_few_and_wide_launches_are_said():
    records = [fixtures.record("a", i, [fixtures.repetition({"w": [t]})]) for i, t in enumerate((1.0, 1.5))]
    titles = [finding.title for finding in explain(records, UNKNOWN, []).findings]
    assert titles == ["1 layout with fewer than 5 launches", "1 layout with an interval wider than 10 %"]


def test_phases_of_a_forecast_are_compared_with_those_of_its_score(results):
    foretold = results[2]
    phases = {name: float(number) for number, name in enumerate(foretold[1].score.measured.phases, 1)}
    data = foretold[1].as_dict()
    data["score"]["measured"]["phases"] = phases
    foretold = [foretold[0], Forecast.of(data), *foretold[2:]]
    compared = {one.id: one for one in explain(*results[:2], foretold).forecasts}[foretold[1].id]
    assert {one.name: one.measured_s for one in compared.phases} == phases


def test_latency_told_first_is_that_of_the_farthest_level(results):
    tree = copy.deepcopy(results[1].tree)
    memory = machine_line(results[1])
    assert "to memory" in memory
    step = {"name": "step at 16 MiB", "latency": {"value": 18e-9, "unit": "s", "source": "probe x"}}
    tree["memory"]["levels"].append(step)
    assert machine_line(Machine.of(tree)) == memory
