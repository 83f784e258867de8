"""Which jobs a campaign needs, without a batch system."""

from dataclasses import replace

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.run.batch.allocations import allocations
from hakaru.run.batch.site import Site
from hakaru.run.campaign.plan import Layout, Point
from hakaru.run.campaign.runner import LATER, PointState

SITE = Site(system="slurm", cores=8, most_nodes=4, longest_s=1000.0, margin_s=100.0)
POINT = Point("heat", "run", (("n", 64),), Layout(8, 1), 2)


class Takes:
    """Every launch takes as long."""

    def __init__(self, seconds: float):
        self.of_one = seconds

    def seconds(self, point: Point) -> float:
        return self.of_one


def states(*layouts: Layout, sizes: int = 1) -> list[PointState]:
    return [
        PointState(replace(POINT, parameters=(("n", size),), layout=layout))
        for layout in layouts
        for size in range(1, sizes + 1)
    ]


def test_points_of_as_many_nodes_share_a_job():
    found = allocations(states(Layout(8, 1), Layout(16, 1, 2), Layout(1, 8)), Takes(10.0), SITE)
    assert [(one.nodes, len(one.tasks), len(one.tasks[0].points)) for one in found] == [(1, 1, 2), (2, 1, 1)]
    assert (found[0].ranks_of_node, found[0].threads) == (8, 1), "the cores that any of them needs"
    assert found[0].time_s == 180.0, "100 s and four launches of 15 s, in whole minutes"


def test_what_does_not_fit_into_one_job_becomes_an_array():
    [one] = allocations(states(Layout(8, 1), sizes=7), Takes(100.0), SITE)
    assert [len(task.points) for task in one.tasks] == [3, 3, 1]
    assert one.time_s == 1000.0
    assert sorted(point for task in one.tasks for point in task.points) == sorted(
        state.point.digest for state in states(Layout(8, 1), sizes=7)
    )


def test_arrays_are_as_long_as_the_site_allows():
    site = msgspec.structs.replace(SITE, most_tasks=2)
    found = allocations(states(Layout(8, 1), sizes=7), Takes(100.0), site)
    assert [len(one.tasks) for one in found] == [2, 1]


def test_a_point_whose_launches_take_several_jobs_is_begun():
    [one] = allocations(states(Layout(8, 1)), Takes(900.0 / LATER), SITE)
    assert one.time_s == SITE.longest_s and one.tasks[0].expected_s == 900.0


def test_a_launch_that_no_job_can_hold():
    with pytest.raises(UserError, match="may take 901 s .*margin_s keeps 100 s"):
        allocations(states(Layout(8, 1)), Takes(901.0 / LATER), SITE)
