"""What the main job builds, and when: never while something measures."""

import pytest

from hakaru.facts.records import RecordStore
from hakaru.main_job import job
from hakaru.main_job.plans import MainPlan
from hakaru.run.campaign.plan import make_plan
from hakaru.run.campaign.progress import progress_for_terminal


def plan(*names):
    return make_plan({"name": "p", "runs": [{"program": name, "layouts": ["1x1"]} for name in names]}, "test")


@pytest.fixture
def events(monkeypatch):
    seen = []
    monkeypatch.setattr(job, "build_more", lambda names: seen.append(("build", *names)))
    monkeypatch.setattr(job, "require_complete", lambda outcome: None)
    monkeypatch.setattr(
        job, "run_plan", lambda plan, *more: seen.append(("run", *[run.program for run in plan.runs]))
    )
    return seen


def test_the_first_probe_measures_before_the_others_are_built(events, monkeypatch, tmp_path):
    monkeypatch.setattr(job, "would_build", lambda names: True)
    job.probe_first(RecordStore(tmp_path), plan("noise", "threads"), "c", None)
    assert events == [("build", "noise"), ("run", "noise"), ("build", "noise", "threads")]


def test_built_probes_are_left_to_one_campaign(events, monkeypatch, tmp_path):
    monkeypatch.setattr(job, "would_build", lambda names: False)
    job.probe_first(RecordStore(tmp_path), plan("noise", "threads"), "c", None)
    assert events == []


def test_the_replay_engine_is_there_before_anything_is_timed(events, monkeypatch, tmp_path):
    for name in ("probe_first", "probe_machine", "predict_missing", "score", "finish"):
        monkeypatch.setattr(job, name, lambda *given, **more: None)
    plans = MainPlan(plan("noise"), plan("heat"), plan("cg"))
    job._steps(RecordStore(tmp_path), plans, "s", tmp_path / "report.html", False, progress_for_terminal())
    assert events == [("build", "heat", "cg", "hakaru_replay"), ("run", "heat"), ("run", "cg")]
