"""Programs of a study on this machine: what ran has rows, what did not is named."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

from hakaru.base.errors import UserError
from hakaru.facts.records import fixtures
from hakaru.facts.work import PhaseWork, Work
from hakaru.studies import launches, load
from hakaru.studies.analyses import Context, part

FOLDER = Path(__file__).parent
here = part(FOLDER, "here")


def test_what_ran_has_rows_and_what_did_not_is_named(monkeypatch, tmp_path):
    whole = load("ap1000plus")
    study = dataclasses.replace(whole, programs=whole.programs[:3])  # EP, CG, FT
    described = Work(phases=(PhaseWork("a", flops=6e6), PhaseWork("b", flops=2e6)))
    program = SimpleNamespace(describe=lambda *_: SimpleNamespace(evaluated=described))
    monkeypatch.setattr("hakaru.facts.programs.named", lambda name: program)

    def perform(point, *_):
        if point.program == "ft":
            raise UserError("ft does not run", "too few ranks", "give more")
        walls = [{"wall_s": wall, "rank_s": [wall], "phases": {}} for wall in (3.0, 2.0, 9.0)]
        good = fixtures.record(point.program, 0, walls)
        return good.failed("it was killed", 9, "") if point.program == "cg" else good

    monkeypatch.setattr(launches, "perform", perform)
    result = here.run_here(study, Context(SimpleNamespace(), lambda _: tmp_path, results=tmp_path))
    assert [(row.id, row.ours, row.kind) for row in result.rows] == [
        ("here/EP/time", 3.0, "measured"),
        ("here/EP/rate", 8e6 / 3.0, "measured"),
    ]
    assert result.summary[0] == "1 of 3 programs ran here."
    assert "it was killed" in result.summary[1] and "too few ranks" in result.summary[2]
