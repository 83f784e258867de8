"""Question 1: on to the whole machine. Weak and strong scaling, the sum by algorithm, slower messages, interruptions."""

from collections.abc import Mapping

from hakaru.foretell.replay.documents.options import Noise
from hakaru.studies import daemons
from hakaru.studies.result import Row

from .nodes import FEW, Asked, Nodes, Step
from .settings import Interruption

STEPS, INTERRUPTED_STEPS = 10, 100
SHARES = (0.05, 0.1)
SEED = 1
LATENCY = "latency"
CHANGES = (LATENCY, "per_byte", "adding")
CURRENT_BYTES = 24


def rows(nodes: Nodes) -> list[Row]:
    return [
        *weak_rows(nodes),
        *strong_rows(nodes),
        *sum_rows(nodes),
        *change_rows(nodes),
        *interruption_rows(nodes),
    ]


def weak_step(nodes: Nodes, each: int, many: int, steps: int = STEPS, **asked) -> Step:
    """``each`` k-points on a node, ``many`` nodes."""
    k_points = each * many
    return nodes.step(nodes.schedule(many, k_points), k_points, Asked(steps=steps, **asked))


def weak_rows(nodes: Nodes) -> list[Row]:
    found = []
    for each in nodes.asked.weak.k_points:
        for many in nodes.asked.weak.nodes:
            nodes.context.say(f"weak scaling: {each} k-points a node, {many} nodes")
            found += step_rows(f"weak/{each}/{many}", weak_step(nodes, each, many))
    return [*found, *load_rows(nodes)]


def load_rows(nodes: Nodes) -> list[Row]:
    """k-points on each of most nodes at which messages have a share of a step, from the two smallest loads; they fill all threads alike."""
    most, few = max(nodes.asked.weak.nodes), sorted(nodes.asked.weak.k_points)[:2]
    steps = {each: weak_step(nodes, each, most) for each in few}
    return [
        Row(f"weak/k-points for {share:.0%} on {most}", None, load_for(share, steps), "1") for share in SHARES
    ]


def load_for(share: float, steps: Mapping[int, Step]) -> float | None:
    """Computing takes a + b k with k k-points and messages m whatever k: their share is s at k = (m (1 - s) / s - a) / b."""
    (low, first), (high, last) = sorted(steps.items())
    each = (last.computing_s - first.computing_s) / (high - low)
    if each <= 0.0 or first.messages_s <= 0.0:
        return None
    wanted = first.messages_s * (1.0 - share) / share
    return low + (wanted - first.computing_s) / each


def step_rows(name: str, step: Step) -> list[Row]:
    return [
        Row(f"{name}/step", None, step.step_s, "s"),
        Row(f"{name}/messages", None, step.messages_s, "s"),
        Row(f"{name}/share", None, step.share, "1"),
    ]


def strong_rows(nodes: Nodes) -> list[Row]:
    """One process a node as far as there are k-points."""
    k_points = nodes.study.settings.cases[nodes.asked.case].k_points
    found = []
    for threads in nodes.asked.strong.threads:
        first: tuple[int, float] | None = None
        for many in nodes.asked.strong.nodes:
            nodes.context.say(f"strong scaling: {threads} threads, {many} nodes")
            step = nodes.step(nodes.schedule(many, k_points), k_points, Asked(steps=STEPS, threads=threads))
            first = first or (many, step.step_s)
            name = f"strong/{threads}/{many}"
            found += step_rows(name, step)
            found.append(Row(f"{name}/gain", None, first[1] / step.step_s, "times"))
    return found


def sum_rows(nodes: Nodes) -> list[Row]:
    """The sum alone, and its share of a weakly scaled step of each load: computing does not know the algorithm. And a sum of the current apart,
    which the program sends along."""
    found = []
    most = max(nodes.asked.weak.nodes)
    computing = {each: weak_step(nodes, each, most).computing_s for each in nodes.asked.weak.k_points}
    for many in nodes.asked.sums.nodes:
        apart = nodes.sum_alone(many, CURRENT_BYTES, FEW)
        found.append(Row(f"sum/{many}/current apart/time", None, apart, "s"))
        for algorithm in nodes.asked.sums.algorithms:
            nodes.context.say(f"the sum on {many} nodes by {algorithm}")
            took = nodes.sum_alone(many, nodes.sum_bytes, algorithm)
            name = f"sum/{many}/{algorithm}"
            found.append(Row(f"{name}/time", None, took, "s"))
            for each, seconds in computing.items():
                found.append(Row(f"{name}/share of {each}", None, took / (took + seconds), "1"))
    return found


def change_rows(nodes: Nodes) -> list[Row]:
    """On the most nodes: shares by factors on facts, and the factors on the latency at which a share is reached."""
    found, most = [], max(nodes.asked.weak.nodes)
    for each in nodes.asked.weak.k_points:
        for name in CHANGES:
            steps = {
                factor: weak_step(nodes, each, most, **{name: factor})
                for factor in getattr(nodes.asked.changes, name)
            }
            for factor, step in steps.items():
                found.append(Row(f"change/{each}/{name}/{factor:g}/share", None, step.share, "1"))
            if name == LATENCY:
                found += [
                    Row(f"change/{each}/{name} for {share:.0%}", None, factor_for(share, steps), "times")
                    for share in SHARES
                ]
    return found


def factor_for(share: float, steps: Mapping[float, Step]) -> float | None:
    """Messages take a + b f at factor f, computing c: their share is s at f = (c s / (1 - s) - a) / b. None where they have it at
    any latency, or do not grow."""
    low, high = min(steps), max(steps)
    slope = (steps[high].messages_s - steps[low].messages_s) / (high - low)
    if slope <= 0.0:
        return None
    wanted = steps[low].computing_s * share / (1.0 - share)
    reached = low + (wanted - steps[low].messages_s) / slope
    return reached if reached > 0.0 else None


def interruption_rows(nodes: Nodes) -> list[Row]:
    """What interruptions of single nodes add to a step of all."""
    found, most, each = [], max(nodes.asked.weak.nodes), max(nodes.asked.weak.k_points)
    calm = weak_step(nodes, each, most)
    for one in nodes.asked.interruptions:
        nodes.context.say(f"interruptions of {one.length_s:g} s, {one.rate_per_s:g} a second")
        step = weak_step(nodes, each, most, INTERRUPTED_STEPS, noise=noise_of(one))
        name = f"interruptions/{one.rate_per_s:g}/{one.length_s:g}"
        found.append(Row(f"{name}/longer", None, step.step_s / calm.step_s - 1.0, "1"))
    return found


def noise_of(one: Interruption) -> Noise:
    return daemons.random(one.rate_per_s, one.length_s, SEED)
