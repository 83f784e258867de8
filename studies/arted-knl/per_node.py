"""Question 3: several processes of a node against one, with a part of its threads each."""

from hakaru.studies.result import Row

from .further import step_rows
from .nodes import Asked, Nodes, Step

STEPS = 2
FLAT, BY_NODE = "one sum", "by node"


def rows(nodes: Nodes) -> list[Row]:
    asked, found = nodes.asked.per_node, []
    for each in asked.k_points:
        for many in asked.nodes:
            for processes in asked.processes:
                nodes.context.say(f"{processes} processes a node, {each} k-points a node, {many} nodes")
                found += layout_rows(nodes, each, many, processes)
    return found


def layout_rows(nodes: Nodes, each: int, many: int, processes: int) -> list[Row]:
    """``each`` k-points on each of ``many`` nodes."""
    k_points, found = each * many, []
    schedule = nodes.schedule(many * processes, k_points)
    name = f"per node/{each}/{many}/{processes}"
    for inside in nodes.asked.per_node.inside if processes > 1 else (1.0,):
        step = nodes.step(schedule, k_points, Asked(steps=STEPS, processes=processes, inside=inside))
        found += step_rows(f"{name}/{FLAT}" + ("" if inside == 1.0 else f", inside x {inside:g}"), step)
        if inside == 1.0 and processes > 1:
            found += step_rows(f"{name}/{BY_NODE}", by_node(nodes, many, processes, step))
    return found


def by_node(nodes: Nodes, many: int, processes: int, step: Step) -> Step:
    """The step with its sum made inside each node first, then among nodes: the time of the one and the other."""
    alone = Asked(processes=processes)
    inside = nodes.sum_alone(processes, nodes.sum_bytes, asked=alone)
    among = nodes.sum_alone(many, nodes.sum_bytes)
    return Step(step.computing_s + inside + among, step.computing_s)
