"""Which probes run as jobs, and on how many nodes."""

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import RecordStore
from hakaru.main_job.probing_jobs import cluster_plan, machine_of
from hakaru.run.batch.site import Site


def test_probes_that_exchange_messages_run_within_and_between_nodes():
    plan = cluster_plan(3, ["messages", "memory_latency"], "small")
    layouts = [(runs.program, str(layout), runs.nodes) for runs in plan.runs for layout in runs.layouts]
    assert layouts == [("messages", "2x1", [1]), ("messages", "3x1", [3]), ("memory_latency", "1x1", [1])]


def test_one_node_has_no_network():
    assert [runs.nodes for runs in cluster_plan(1, ["messages"]).runs] == [[1]]


def test_no_machine_without_records(tmp_path, monkeypatch):
    monkeypatch.setattr("hakaru.main_job.probing_jobs.states_of", lambda *_: [])
    plan = cluster_plan(2, ["messages"])
    with pytest.raises(UserError, match="no records of these probes yet"):
        machine_of(RecordStore(tmp_path), plan, Site(system="slurm", cores=2), "here")
    assert not list(tmp_path.iterdir())
