import re
from dataclasses import replace

import pytest

from hakaru.facts.forecasts.forecast import CurvePoint
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import UNKNOWN
from hakaru.facts.records.fixtures import changed
from hakaru.facts.records.fixtures import record as blank
from hakaru.tell import charts as folder
from hakaru.tell.chart_data import ReportData
from hakaru.tell.charts import (
    charts,
    dielectric,
    memory_latency,
    phase_bars,
    speed_up,
    thread_overheads,
    time_over_size,
    vector_length,
)
from hakaru.tell.explain import explain

ALL = charts()
NAMES = [module.__name__.rsplit(".", 1)[-1] for module in ALL]


def test_charts_are_found_by_scanning_in_order():
    assert {
        "phase_bars",
        "speed_up",
        "roofline",
        "memory_bandwidth",
        "memory_latency",
        "track_record",
    } <= set(NAMES)
    assert [module.order for module in ALL] == sorted(module.order for module in ALL)
    assert len({module.order for module in ALL}) == len(ALL)


def test_a_new_file_is_a_new_chart_and_an_unfinished_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    (tmp_path / "added.py").write_text("title = order = section = explanation = missing = draw = 0\n")
    assert any(module.__name__.endswith(".added") for module in charts())
    (tmp_path / "unfinished.py").write_text("title = ''\n")
    with pytest.raises(AttributeError, match="chart unfinished lacks order"):
        charts()


@pytest.mark.parametrize("chart", ALL, ids=NAMES)
def test_every_chart_draws_the_example_and_explains_itself(chart, data):
    svg = chart.draw(data)
    assert svg.count("<svg") == svg.count("</svg>") >= 1
    assert len(re.findall(r"<path", svg)) > 10
    assert chart.explanation.endswith(".") and "hakaru" in chart.missing


@pytest.mark.parametrize("chart", ALL, ids=NAMES)
def test_every_chart_says_none_without_data(chart):
    assert chart.draw(ReportData([], UNKNOWN, [], explain([], UNKNOWN, []))) is None


def test_flat_and_hybrid_stand_side_by_side(data):
    svg = phase_bars.draw(data)
    assert "flat MPI" in svg and "MPI + OpenMP" in svg and "stencil" in svg and "transpose" in svg


def test_oversubscribed_layouts_are_marked(results):
    records = [
        changed(record, layout=record.as_dict()["layout"] | {"oversubscribed": True}) for record in results[0]
    ]
    svg = phase_bars.draw(ReportData(records, UNKNOWN, [], explain(records, UNKNOWN, [])))
    assert "oversubscribed" in svg


def test_speed_up_shows_ideal_and_bound(data):
    svg = speed_up.draw(data)
    assert "ideal" in svg and "bound of this machine" in svg
    case = next(case for case in data.explanation.cases if case.label == "himeno size=M, iterations=30")
    reference = case.layouts[0]
    assert speed_up.bound(case)[0][1] == pytest.approx(reference.wall.value / reference.shortest_s)
    assert all(layout.scaling.speed_up.value < speed_up.bound(case)[-1][1] for layout in case.layouts)


def test_vectors_show_rates_and_the_gain_of_threads(data):
    rows = [
        row for record in data.records if record.program == "vector_length" for row in record.rows("vectors")
    ]
    times = vector_length.least(rows)
    rates = vector_length.one_core(times, vector_length.operations_of(rows))["daxpy"]
    assert rates[-1] == (32768, pytest.approx(2 * 32768 / (1e-7 + 1e-9 * 32768)))
    gains = dict(vector_length.gains(times, 2)["daxpy"])
    assert gains[16] < 1.0 < gains[8192]
    assert vector_length.draw(data).count("<svg") == 2


def _latency(rows):
    names = ("pattern", "pages", "stride_bytes", "working_set_bytes", "latency_s")
    table = {"name": "latency", "columns": [{"name": name, "unit": "1"} for name in names], "rows": rows}
    record = blank("memory_latency", 1, kind="probe", tables=[table])
    return memory_latency.curves(ReportData([record], UNKNOWN, [], explain([], UNKNOWN, [])))


def test_latency_takes_medians_over_samples():
    found = _latency([["random", "huge", 64, 4096, value] for value in (1e-9, 9e-9, 2e-9)])
    assert found == {("random", "huge", 64.0): [(4096.0, 2e-9)]}


def test_latency_shows_strides_of_the_least_disturbed_order_first():
    rows = [["random", "huge", 64, 4096, 1e-9], ["sequential", "huge", 64, 4096, 1e-9]]
    rows += [
        ["random_local", pages, stride, 4096, 1e-9] for pages in ("base", "huge") for stride in (64, 128)
    ]
    keys = memory_latency.chosen(_latency(rows))
    assert keys[:2] == [("random_local", "huge", 64.0), ("random_local", "huge", 128.0)]
    assert keys[2:] == [
        (o, p, 64.0) for o, p in (("random_local", "base"), ("random", "huge"), ("sequential", "huge"))
    ]
    assert memory_latency.names(keys[:2]) == ["stride 64 B", "stride 128 B"]
    many = _latency([["random", "huge", 8 * 2**power, 4096, 1e-9] for power in range(20)] + rows)
    assert len(memory_latency.chosen(many)) <= memory_latency.MOST


def test_many_thread_counts_are_thinned():
    points = [Fact(value=1e-6, keys={"threads": threads}) for threads in range(1, 65)]
    kept = thread_overheads.shown({"parallel": points, "barrier": points})
    assert [fact.keys["threads"] for fact in kept["parallel"]] == [2, 64]
    assert thread_overheads.shown({"parallel": points[:4]}) == {"parallel": points[:4]}


def test_the_latest_dielectric_function_is_drawn_from_where_it_means_something(data):
    names = ("energy", "real", "imaginary", "conductivity")
    columns = [{"name": name, "unit": "1"} for name in names]

    def drawn(rows):
        table = {"name": "dielectric", "columns": columns, "rows": rows}
        record = blank("electrons", 9, id="9", tables=[table])
        return dielectric.draw(ReportData([*data.records, record], UNKNOWN, [], data.explanation))

    assert "2.00 eV, imaginary part 7.0" in drawn([[0.05, 1, 99, 0], [2, 3, 7, 0], [4, 5, 6, 0]])
    assert "4.00 eV, imaginary part 8.0" in drawn([[2, 3, 7, 0], [4, 5, 8, 0]])


def test_speed_ups_that_say_nothing_are_not_drawn(data):
    case = next(case for case in data.explanation.cases if speed_up.tells(case))
    last = case.layouts[-1]
    gain = last.scaling.speed_up
    restless = replace(last.scaling, speed_up=replace(gain, low=0.4 * gain.value, high=2.0 * gain.value))
    wide = replace(case, layouts=[*case.layouts[:-1], replace(last, scaling=restless)])
    assert not speed_up.tells(wide)


def test_the_curve_has_a_picture_for_each_program_and_layout(data):
    svg = time_over_size.draw(data)
    assert svg.count("<svg") == len({(one.program, one.layout) for one in data.explanation.forecasts})
    assert "usually" in svg and "any one run" in svg and "the run" in svg


def test_bands_lie_over_the_sizes_below_the_wanted_one(data):
    one = next(one for one in data.explanation.forecasts if one.usual)
    assert "fill-opacity: 0.6" not in time_over_size.draw(data)
    smaller = [
        CurvePoint(size=part * one.size, usual_s=one.usual.scaled(part), time_s=one.predicted.scaled(part))
        for part in (0.25, 0.5, 0.75, 1.0)
    ]
    known = [replace(other, curve=tuple(smaller)) for other in data.explanation.forecasts]
    svg = time_over_size.draw(replace(data, explanation=replace(data.explanation, forecasts=known)))
    assert "measured, usually" in svg and "fill-opacity: 0.6" in svg
