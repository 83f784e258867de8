"""The widths of forecasts elsewhere hold for the rows of this study, and damage to a fact shows in them."""

from statistics import median

import pytest

from hakaru.base.paths import root
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.elsewhere.held import COMPUTING, MESSAGES
from hakaru.foretell.replay.carried import faster_memory
from hakaru.foretell.replay.engine import engine
from hakaru.studies.analyses import Context, part
from hakaru.studies.evidence import judged
from hakaru.studies.result import Row
from hakaru.studies.study import load_folder

FOLDER = root() / "studies" / "machines-today"
FEW = 512  # ranks: replays of so many take a second together


@pytest.fixture(scope="module")
def study():
    return load_folder(FOLDER)


def carrying():
    return part(FOLDER, "carrying")


def ratios(rows: list[Row], basis) -> list[float]:
    return [row.published / row.ours for row in judged(rows, basis) if row.kind == "prediction"]


def computing(study):
    return ratios([row for row in carrying().rows(study) if row.unit == "s"], study.basis)


def test_computing_would_have_held_for_every_result(study):
    found = computing(study)
    assert all(map(COMPUTING.holds, found))
    assert COMPUTING.low > 0.95 * min(found) and COMPUTING.high < 1.05 * max(found), "wider than it must be"
    rates = [row for row in carrying().rows(study) if row.unit != "s"]
    assert all(COMPUTING.holds(row.ours / row.published) for row in rates)
    assert COMPUTING.results == len(found) + len(rates)


@pytest.mark.parametrize("factor", [0.4, 2.5])
def test_a_damaged_fact_leaves_the_interval(study, factor, monkeypatch):
    """A memory that is said to be so many times as fast moves results out of the width, and the median with them."""
    before = median(computing(study))
    load = {name: Machine.load(known_machines()[name]) for name in (carrying().A, carrying().B)}
    load[carrying().B] = faster_memory(load[carrying().B], factor)
    monkeypatch.setattr(carrying(), "machine_of", load.__getitem__)
    after = [row for row in carrying().spechpc(study) if row.id.startswith("spechpc/b/")]
    found = ratios(after, study.basis)
    assert not all(map(COMPUTING.holds, found))
    assert abs(median(found) - 1.0) > abs(before - 1.0) or abs(median(found) - 1.0) > 0.25


def test_messages_would_have_held_for_most_results(study, tmp_path):
    """Of those on few ranks; the study's own run has all."""
    replayed, tables = part(FOLDER, "replayed"), study.published
    given = {name for rows in study.basis.given.values() for name in rows}
    found, assumed = [], []
    context = Context(engine(None), lambda entry: None, results=tmp_path)
    for entry in study.settings.collectives:
        machine = Machine.load(known_machines()[entry.machine])
        for cells in tables.table(entry.table).rows:
            if f"collectives/{entry.table}/{cells['bytes']}/{cells['ranks']}" in given:
                continue
            if 0 < cells["bytes"] <= 65536 and cells["ranks"] <= FEW:
                time_s = replayed.collective_s(context, machine, entry, cells, assumed)
                found.append(cells["value"] / time_s)
    assert len(found) > 30
    assert sum(map(MESSAGES.holds, found)) >= 0.95 * len(found)
    assert min(found) < 0.75 and max(found) > 1.3, "the width rests on misses"
    assert not MESSAGES.holds(0.1) and not MESSAGES.holds(10.0)
