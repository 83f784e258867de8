"""Studies of scaling: sharing of orbitals, efficiency, comparisons, and the machine's own kernel, on times of closed form."""

import json
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import msgspec
import pytest

from hakaru.base.paths import root
from hakaru.own.bench import Interleaved
from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.fixtures import result_of, with_settings
from hakaru.studies.result import Result

FOLDER = Path(__file__).parent
analysis = part(FOLDER)
here = part(FOLDER, "here")
reduction = part(FOLDER, "reduction")
points_of = part(FOLDER, "points")
shown_of = part(FOLDER, "shown")
Busy, Point = points_of.Busy, points_of.Point


@pytest.fixture
def study():
    return load("arted-knl")


@pytest.mark.parametrize(
    ("processes", "threads", "expected"),
    [
        (1, 256, Busy(3072, 1.0)),
        (16, 256, Busy(192, 0.75)),
        (48, 32, Busy(96, 1.0)),
        (64, 256, Busy(48, 48 / 256)),
    ],
)
def test_threads_share_whole_orbitals(processes, threads, expected):
    assert points_of.busy(64, 48, processes, threads) == expected


def test_the_kernel_runs_at_the_faster_variant(study):
    fx100 = next(one for one in study.settings.systems if one.name == "FX100")
    assert analysis.kernel_rate(study, "SiO2", fx100) == pytest.approx(219.9e9)  # the compiler's
    assert analysis.kernel_rate(study, "Si", fx100) == pytest.approx(192.3e9)  # the explicit one


def points(study, slowdown=1.0):
    """Perfect scaling, but for SiO2, which takes `slowdown` times as long on more than one node."""
    found = []
    for case in ("Si", "SiO2"):
        for system in study.settings.systems:
            for nodes in system.nodes[case]:
                late = slowdown if case == "SiO2" and nodes > 1 else 1.0
                found.append(Point(case, system.name, nodes, late / nodes, 0.0, 1.0))
    return found


def test_efficiency_is_against_the_fewest_nodes(study):
    found = points(study, slowdown=2.0)
    by_key = {(one.case, one.system, one.nodes): analysis.efficiency(found, one) for one in found}
    assert by_key["Si", "KNL", 128] == pytest.approx(1.0)
    assert by_key["SiO2", "KNL", 8] == pytest.approx(0.5)
    assert by_key["SiO2", "FX100", 12] == pytest.approx(1.0)


def test_statements_stand_beside_what_was_published(study):
    rows = {row.id: row for row in analysis.comparison_rows(study, points(study))}
    row = rows["statements/Si: 128 KNL nodes over 192 FX100 nodes"]
    assert row.published == 1.5
    assert row.ours == pytest.approx(128 / 192)
    equal = rows["statements/SiO2: 16 KNL nodes over 48 FX100 nodes"]
    assert equal.published == 1.0 and equal.ours == pytest.approx(16 / 48)
    assert rows["statements/SiO2: KNL over KNC x2, one node"].published is None


def test_a_statement_that_was_not_published_is_an_error(study):
    wrong = msgspec.structs.replace(study.settings.comparisons[0], item="no such item")
    damaged = with_settings(study, comparisons=(wrong,))
    with pytest.raises(Exception, match="no item 'no such item'"):
        analysis.comparison_rows(damaged, points(study))


def test_the_page_has_every_point(study):
    found, result = points(study), Result()
    for one in found:
        name = f"scaling/{one.case}/{one.system}/{one.nodes}/efficiency"
        result.rows.append(analysis.Row(name, None, analysis.efficiency(found, one), "1"))
    result.rows += analysis.comparison_rows(study, found)
    shown = shown_of.sections(study, found, result)
    assert sum(len(section.lines) for section in shown if "scaling" in section.title) == len(found)
    assert len(shown_of.kernels(study).lines) == 8
    assert "stated 1.50" in shown_of.summary(result)[0]


class Engine:
    """A sum takes a microsecond for each rank."""

    def replay(self, source, network, options, only=None):
        document = json.loads(source.read_text())
        jsonschema.validate(document, json.loads((root() / "schema" / "schedule.schema.json").read_text()))
        return result_of(1e-6 * document["ranks"] * reduction.TIMES)


def test_the_sum_alone_by_mode_and_nodes(study):
    result = Result(reduction.reduction_rows(study, SimpleNamespace(engine=Engine())))
    times = {row.id: row.ours for row in result.rows}
    assert times["allreduce/KNL/128"] == pytest.approx(128e-6)
    assert times["allreduce/KNL SNC4/128"] == pytest.approx(512e-6)
    assert len(reduction.reduction_section(study, result).lines) == 7


def test_assumed_facts_are_listed(study):
    assert any(text.startswith("fx100: network.node") for text in analysis.assumptions(study))


def test_this_machine_beside_the_published_processors(study, monkeypatch):
    rates = {"compiler": 2e10, "explicit": 5e10, "fma_peak": 1e11}
    rates |= {f"prefetch_{d}": 4.9e10 for d in (64, 128, 192, 256)}
    found = {
        (case, cores): Interleaved({name: [cores * rate] for name, rate in rates.items()})
        for case in ("Si", "SiO2")
        for cores in (1, 2)
    }
    bench = SimpleNamespace(measure=lambda folder: found, PREFETCH_BYTES=(64, 128, 192, 256))
    monkeypatch.setattr(here, "load_module", lambda path: bench)
    result = here.here_rows(study, SimpleNamespace(say=lambda text: None))
    rows = {row.id: row.ours for row in result.rows}
    assert {row.kind for row in result.rows} == {"measured"}
    assert rows["here/Si/explicit"] == pytest.approx(1e11)
    assert rows["here/Si/gain"] == pytest.approx(2.5)
    assert rows["here/SiO2/share of peak"] == pytest.approx(0.5)
    assert rows["here/Si/prefetch 64 B"] == pytest.approx(-2e9)
    assert result.sections[0].lines[-1][:2] == ["SiO2", "this machine"]
