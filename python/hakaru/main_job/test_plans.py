"""The main job's layouts on hosts that are not here: they fit on cores, and the others say which hardware threads they take."""

import pytest

from hakaru.base import topology
from hakaru.base.errors import UserError
from hakaru.base.made_up_hosts import HOSTS, write
from hakaru.main_job import plans
from hakaru.main_job.probing import probe_plan
from hakaru.run.campaign.plan import parse_layout
from hakaru.run.launchers.here import launch_here

WANTED = {  # flat, hybrid, and both on all hardware threads
    "two cores": ("2x1", "1x2", "2x1", "1x2"),
    "hardware threads": ("2x1", "1x2", "4x1", "1x4"),
    "two sockets": ("8x1", "1x8", "16x1", "1x16"),
    "half of the cores": ("2x1", "1x2", "4x1", "1x4"),
    "offline hardware threads": ("4x1", "1x4", "4x1", "1x4"),
    "an offline core": ("3x1", "1x3", "3x1", "1x3"),
}


@pytest.mark.parametrize("name", WANTED)
def test_layouts_fill_cores_and_not_hardware_threads(name, tmp_path, monkeypatch):
    host = topology.here(write(HOSTS[name], tmp_path))
    monkeypatch.setattr(topology, "here", lambda: host)
    found = plans.layouts()
    assert tuple(found[word] for word in ("flat", "hybrid", "flat smt", "hybrid smt")) == WANTED[name]
    for word, text in found.items():
        layout = parse_layout(text)
        launch = launch_here("openmpi", layout.ranks, layout.threads)
        assert not launch.oversubscribed
        assert launch.threads_of_core == (host.threads_of_core if word.endswith("smt") else 1)


def test_runs_without_layouts_leave_the_hardware_threads_alone(tmp_path, monkeypatch):
    host = topology.here(write(HOSTS["hardware threads"], tmp_path))
    monkeypatch.setattr(topology, "here", lambda: host)
    filled = plans._fill({"runs": [{"program": "heat"}, {"layouts": ["flat smt", "4x1", "1x1"]}]})["runs"]
    assert filled[0]["layouts"] == ["1x1", "2x1", "1x2"] and filled[1]["layouts"] == ["4x1", "1x1"]


def test_probes_get_the_parameters_that_a_plan_gives_them():
    plan = probe_plan(
        ["memory_latency", "arithmetic"], parameters={"memory_latency": {"pattern": "random_local"}}
    )
    given = {run.program: run.parameters for run in plan.runs}
    assert given == {"memory_latency": {"pattern": "random_local"}, "arithmetic": {}}


def test_parameters_for_a_probe_that_does_not_run_are_refused():
    with pytest.raises(UserError, match="parameters are given for 'memory_latncy'"):
        probe_plan(["memory_latency"], parameters={"memory_latncy": {"pattern": "random_local"}})
