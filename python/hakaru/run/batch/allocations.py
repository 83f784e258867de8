"""Which jobs a campaign needs: points of as many nodes share jobs, and a job's launches fit into its time."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.run.batch.site import Site
from hakaru.run.batch.submission import Task
from hakaru.run.campaign.estimate import Estimator
from hakaru.run.campaign.plan import Point
from hakaru.run.campaign.runner import LATER, PointState

STEP_S = 60.0  # batch systems count in minutes


@dataclass(frozen=True)
class Allocation:
    """One script: ``tasks`` equal jobs of so many nodes, ``time_s`` each."""

    nodes: int
    ranks_of_node: int
    threads: int
    time_s: float
    tasks: tuple[Task, ...]


def allocations(states: Sequence[PointState], estimator: Estimator, site: Site) -> list[Allocation]:
    """Of what is missing of these points. Raises UserError for a point that no job of the site can hold."""
    found = []
    for nodes in sorted({state.point.layout.nodes for state in states}):
        own = [state for state in states if state.point.layout.nodes == nodes]
        for state in own:
            _require_room(state.point, LATER * estimator.seconds(state.point), site)
        tasks = _packed(own, estimator, site)
        for first in range(0, len(tasks), site.most_tasks):
            some = tasks[first : first + site.most_tasks]
            found.append(_allocation(nodes, own, tuple(some), site))
    return found


def _require_room(point: Point, seconds: float, site: Site) -> None:
    layout = point.layout
    if layout.nodes > site.most_nodes:
        raise UserError(
            f"{point.label} needs {layout.nodes} nodes",
            f"site.toml allows {site.most_nodes}",
            "use fewer nodes, or raise most_nodes if the site allows more",
        )
    if site.margin_s + seconds > site.longest_s:
        raise UserError(
            f"a launch of {point.label} may take {seconds:.0f} s",
            f"site.toml allows jobs of {site.longest_s:g} s, of which margin_s keeps {site.margin_s:g} s",
            "make the problem smaller, or raise longest_s if the site allows more",
        )


def _packed(states: Sequence[PointState], estimator: Estimator, site: Site) -> list[Task]:
    """Points in their order, as many to a task as fit: all launches of a point stay in one, where they fit."""
    room = site.longest_s - site.margin_s
    tasks: list[Task] = []
    points: list[str] = []
    spent = 0.0
    for state in states:
        launches = max(1, state.point.repeats - len(state.good))
        seconds = min(room, LATER * launches * estimator.seconds(state.point))
        if points and spent + seconds > room:
            tasks.append(Task(points=tuple(points), expected_s=spent))
            points, spent = [], 0.0
        points.append(state.point.digest)
        spent += seconds
    return [*tasks, Task(points=tuple(points), expected_s=spent)]


def _allocation(nodes: int, states: Sequence[PointState], tasks: tuple[Task, ...], site: Site) -> Allocation:
    layouts = [state.point.layout for state in states]
    ranks = max(layout.ranks_of_node for layout in layouts)
    cores = max(layout.ranks_of_node * layout.threads for layout in layouts)
    needed = site.margin_s + max(task.expected_s for task in tasks)
    return Allocation(
        nodes,
        ranks,
        -(-min(cores, site.cores * site.threads_of_core) // ranks),
        min(site.longest_s, STEP_S * -(-needed // STEP_S)),
        tasks,
    )
