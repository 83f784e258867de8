"""Which probes run as jobs, and on how many nodes."""

from pathlib import Path

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import RecordStore
from hakaru.main_job.probing_jobs import Wanted, cluster_plan, cluster_plans, machine_of
from hakaru.run.batch.site import Site


def wanted(nodes: int, names: list[str], preset: str | None = None) -> Wanted:
    return Wanted(nodes, names, preset, Path("shared"))


def test_probes_that_exchange_messages_run_within_and_between_nodes():
    plan = cluster_plan(wanted(3, ["messages", "memory_latency"], "small"))
    layouts = [(runs.program, str(layout), runs.nodes) for runs in plan.runs for layout in runs.layouts]
    assert layouts == [("messages", "2x1", [1]), ("messages", "3x1", [3]), ("memory_latency", "1x1", [1])]


def test_one_node_has_no_network():
    assert [runs.nodes for runs in cluster_plan(wanted(1, ["messages"])).runs] == [[1]]


def test_files_of_several_nodes_lie_where_all_nodes_see_them():
    within, between = cluster_plan(wanted(2, ["files"])).runs
    assert "folder" not in within.parameters and between.parameters["folder"] == str(Path("shared").resolve())


def test_switches_are_crossed_where_the_site_says_how():
    site = Site(system="slurm", cores=2, options=("--qos=x",), across=("--nodelist=a1,b1",))
    asked = wanted(2, ["messages", "memory_latency"])
    assert len(cluster_plans(asked, msgspec.structs.replace(site, across=()))) == 1
    (_, own), (plan, spread) = cluster_plans(asked, site)
    [runs] = plan.runs
    assert (runs.program, runs.nodes, runs.parameters) == ("messages", [2], {"across_hosts": "switch"})
    assert own.options == ("--qos=x",) and spread.options == ("--qos=x", "--nodelist=a1,b1")
    assert len(cluster_plans(wanted(1, ["messages"]), site)) == 1


def test_no_machine_without_records(tmp_path, monkeypatch):
    monkeypatch.setattr("hakaru.main_job.probing_jobs.states_of", lambda *_: [])
    plan = cluster_plan(wanted(2, ["messages"]))
    with pytest.raises(UserError, match="no records of these probes yet"):
        machine_of(RecordStore(tmp_path), [plan], Site(system="slurm", cores=2), "here")
    assert not list(tmp_path.iterdir())
