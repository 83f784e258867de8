import re

import pytest

from hakaru.base import units
from hakaru.foretell.replay.levers import FACTORS, told
from hakaru.tell.report import choosing_fixtures as made_up
from hakaru.tell.report import precomputed, write_report
from hakaru.tell.report.load import load_results
from hakaru.tell.report.precomputed import Precomputed, precompute
from hakaru.tell.traces.timeline.section import policy_of


@pytest.fixture(scope="module")
def chosen(results, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("choosing")
    path = write_report(folder / "report.html", *results, made=made_up.precomputed())
    return path.read_text(encoding="utf-8")


def without_scripts(page: str) -> str:
    return re.sub(r"<script.*?</script>", "", page, flags=re.S)


def test_without_scripts_every_answer_is_a_cell_of_a_table(chosen):
    page = without_scripts(chosen)
    one = made_up.what_if()
    for at in one.times_s:
        cell = re.search(rf'data-at="{",".join(map(str, at))}" data-told="([^"]+)">([^<]+)</td>', page)
        assert cell[2] == units.seconds(made_up.time_s(at)) and cell[1] == told(one, at)
    assert '<td class="number" data-at="0,0,0"' in page and ">not replayed</td>" in page
    assert "124 of 125 combinations were replayed" in page and "a note" in page
    for variant in made_up.variants():
        if variant.made:
            assert units.seconds_range(variant.made.time_s.low, variant.made.time_s.high) in page
    assert "it took too long" in page and "heat: it has no schedule" in page


def test_the_tools_are_hidden_until_the_script_shows_them(chosen):
    assert chosen.count('data-part="tools" hidden') == 2


def test_only_our_script_may_run_and_nothing_comes_from_outside(chosen):
    scripts = re.findall(r"<script>(.*?)</script>", chosen, re.S)
    assert len(scripts) == 1 and f"script-src {policy_of(scripts[0])}" in chosen
    assert policy_of(scripts[0] + " ") not in chosen
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', chosen) == []
    assert len(chosen.encode()) < 2_000_000


def test_the_same_input_gives_the_same_page(results, chosen, tmp_path):
    again = write_report(tmp_path / "again.html", *results, made=made_up.precomputed())
    assert again.read_text(encoding="utf-8") == chosen


def test_names_of_people_stay_text(results, tmp_path):
    evil = '"><script>alert(1)</script>'
    made = Precomputed(tuple(made_up.variants(evil)), (made_up.what_if(evil),), (evil,))
    page = write_report(tmp_path / "report.html", *results, made=made).read_text(encoding="utf-8")
    assert page.count("<script") == 1 and page.count("&lt;script&gt;") > 10


def test_bars_stand_within_their_picture_and_hold_the_time(chosen):
    bars = re.findall(r'class="any" style="left:([\d.-]+)%;width:([\d.]+)%', chosen)
    values = re.findall(r'class="value" style="left:([\d.-]+)%', chosen)
    assert len(bars) == len(values) == 3
    for (left, width), value in zip(bars, values, strict=True):
        assert 0.0 <= float(left) <= float(value) <= float(left) + float(width) <= 100.01


def test_where_no_engine_is_built_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    made = precompute(load_results(tmp_path))
    assert made.variants == made.what_ifs == () and len(made.missing) == 1
    page = write_report(tmp_path / "report.html", *_of(load_results(tmp_path)), made=made).read_text()
    assert "Not replayed: " in page and "hakaru replay builds it" in page


def _of(found):
    return found.records, found.machine, found.forecasts


def test_both_parts_have_a_limit_below_ten_seconds():
    assert precomputed.FORECASTS_S + precomputed.REPLAYS_S <= 10.0
    assert FACTORS[0] == 0.25 and FACTORS[-1] == 4.0
