"""Question 2: the field between macroscopic points, from every point to all as the published code does it, or between two neighbours.

The program's film exchanges 16 B with both neighbours, corresponding processes of the groups with each other. In its place stands an allgather
over all processes, or nothing, against which both are held.
"""

from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.schedule import operations_of
from hakaru.studies.result import Row

from .further import INTERRUPTED_STEPS, noise_of
from .nodes import Asked, Nodes
from .settings import Layout
from .steady import with_halo

STEPS = 2
FILM = {"geometry": "film", "field": "pulse"}
NEIGHBOURS, ALLGATHER, NOTHING = "two neighbours", "allgather", "no messages"
ROUNDS, SUM = "allgather in rounds", "sum over all"
IN_ROUNDS = "bruck"
WAYS = (NEIGHBOURS, ALLGATHER, ROUNDS, SUM)


def rows(nodes: Nodes) -> list[Row]:
    asked = nodes.asked.halo
    found = [row for one in asked.layouts for points in one.points for row in point_rows(nodes, one, points)]
    for one in asked.interrupted:
        for points in one.points:
            found += interrupted_rows(nodes, one, points)
    return found


def schedules(nodes: Nodes, layout: Layout, points: int) -> dict[str, Schedule]:
    """Of the film, by how its points tell each other of the field."""
    k_points = nodes.study.settings.cases[nodes.asked.case].k_points
    film = nodes.schedule(layout.nodes * points, k_points, FILM | {"points": points, "groups": points})
    gathered = operations_of([{"do": "allgather", "bytes": nodes.asked.halo.bytes}])
    return {NEIGHBOURS: film, ALLGATHER: with_halo(film, gathered), NOTHING: with_halo(film, ())}


def point_rows(nodes: Nodes, layout: Layout, points: int) -> list[Row]:
    """Seconds that the field's messages add to a step, and their share of it; beside them the sum of the density, at each point by itself."""
    nodes.context.say(f"{points} macroscopic points of {layout.nodes} nodes")
    ranks = layout.nodes * points
    k_points = nodes.study.settings.cases[nodes.asked.case].k_points
    films = schedules(nodes, layout, points)
    steps = {way: nodes.step(one, k_points, Asked(steps=STEPS)) for way, one in films.items()}
    steps[ROUNDS] = nodes.step(films[ALLGATHER], k_points, Asked(steps=STEPS, gather=IN_ROUNDS))
    alone = steps.pop(NOTHING)
    added = {way: step.step_s - alone.step_s for way, step in steps.items()}
    added[SUM] = nodes.sum_alone(ranks, points * nodes.asked.halo.bytes)
    name = f"halo/{layout.nodes}/{points}/density"
    found = [Row(f"{name}/time", None, alone.messages_s, "s"), Row(f"{name}/share", None, alone.share, "1")]
    for way, took in added.items():
        name = f"halo/{layout.nodes}/{points}/{way}"
        found.append(Row(f"{name}/time", None, took, "s"))
        found.append(Row(f"{name}/share", None, took / (alone.step_s + took), "1"))
    return found


def interrupted_rows(nodes: Nodes, layout: Layout, points: int) -> list[Row]:
    """By how much interruptions lengthen a step: all points wait for the unluckiest node, or neighbours for each other, or nobody."""
    k_points = nodes.study.settings.cases[nodes.asked.case].k_points
    found = []
    for way, schedule in schedules(nodes, layout, points).items():
        calm = nodes.step(schedule, k_points, Asked(steps=INTERRUPTED_STEPS))
        for one in nodes.asked.interruptions:
            nodes.context.say(f"{points} points of {layout.nodes} nodes, {way}, interrupted")
            hit = nodes.step(schedule, k_points, Asked(steps=INTERRUPTED_STEPS, noise=noise_of(one)))
            name = f"interrupted/{layout.nodes}/{points}/{one.rate_per_s:g}/{one.length_s:g}/{way}/longer"
            found.append(Row(name, None, hit.step_s / calm.step_s - 1.0, "1"))
    return found
