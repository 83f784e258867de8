"""The answer to a mix: what it says, what it would say otherwise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hakaru.base import topology, units
from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.files import resolve
from hakaru.foretell.mix import answer, foretold, kinds, metered, swf, workload
from hakaru.foretell.mix.file import MixFile
from hakaru.foretell.mix.kinds import Foretell, Kind, Node
from hakaru.foretell.mix.metrics import Measured
from hakaru.foretell.mix.power import NodePower, node_power
from hakaru.foretell.mix.ranking import AS_IT_IS, orders
from hakaru.foretell.mix.scenario import Scenario, play, slower
from hakaru.foretell.mix.simulate import POLICIES

NOT_SAID = "neither the mix nor its machine says what a node takes"
MOST_SHARED_NODES = 10_000
MOST_SHARED = 50_000  # jobs on shared nodes: more take hours


@dataclass(frozen=True)
class Wanted:
    """``more_nodes``: the share of nodes that a what-if adds, 0 for none. ``policies``: what the other ones would give, too."""

    more_nodes: float = 0.2
    policies: bool = False
    workers: int | None = None


@dataclass(frozen=True)
class Answered:
    """``scenario`` plays the shown draw again, for charts."""

    result: answer.MixResult
    scenario: Scenario
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Prepared:
    scenario: Scenario
    kinds: tuple[Kind, ...]
    jobs: int
    draws: int
    notes: tuple[str, ...]
    no_power: str


def ask(mix: MixFile, beside: Path, results: Path, wanted: Wanted) -> Answered:
    """``beside``: the folder that a log's name is relative to. Raises UserError for a mix that cannot be."""
    machine = Machine.load(resolve(mix.machine, results)) if mix.machine else None
    elsewhere = machine is not None and mix.machine != "here"
    foretell = foretold.there(results, machine) if elsewhere else foretold.here(results)
    told = node_power(mix.power, machine)
    power = told or (NOT_SAID if elsewhere else metered.node_power(mix, results))
    return answer_with(mix, beside, machine, foretell, wanted, power)


def answer_with(
    mix: MixFile,
    beside: Path,
    machine: Machine | None,
    foretell: Foretell,
    wanted: Wanted,
    power: NodePower | str | None = None,
) -> Answered:
    """With somebody's forecasts. ``power``: what a node takes, or why it is not known; None: what the mix or the machine says."""
    power = power or node_power(mix.power, machine) or NOT_SAID
    log = swf.read(beside / mix.arrival.log) if mix.arrival.log else None
    node = _node(mix, machine, log)
    base = _prepare(mix, node, power, log, foretell)
    played = play(base.scenario, base.draws, base.jobs, wanted.workers)
    asked = _others(base, mix, node, foretell, log, wanted)
    after = {name: play(other, base.draws, base.jobs, wanted.workers) for name, other in asked}
    others = [_what_if(name, other, played, after[name]) for name, other in asked]
    middle = int(np.argsort([one.makespan_s for one in played], kind="stable")[(len(played) - 1) // 2])
    result = answer.MixResult(
        schema=answer.SCHEMA,
        name=mix.name,
        nodes=node.count,
        cores=node.cores,
        policy=mix.policy,
        shared=mix.shared,
        jobs=base.jobs,
        draws=base.draws,
        seed=mix.seed,
        shown_draw=middle,
        confidence=answer.CONFIDENCE,
        figures=answer.figures(played),
        power_source=base.scenario.power.source if base.scenario.power else None,
        kinds=tuple(_kinds(base, played)),
        what_if=tuple(others),
        notes=base.notes,
        orders=orders({AS_IT_IS: played} | after, base.no_power),
    )
    return Answered(result, base.scenario, tuple(kind.name for kind in base.kinds) or ("log",))


def _node(mix: MixFile, machine: Machine | None, log: swf.Log | None) -> Node:
    """What the mix says, else its machine, else its log, else (cores) this host."""
    replayed = log is not None and not mix.jobs
    cores = mix.cores or (machine.cores if machine else None) or (1 if replayed else topology.usable_cores())
    count = mix.nodes or (-(-log.machine_processors // cores) if log is not None else 0)
    if not count:
        raise UserError(
            f"the mix {mix.name} does not say its nodes", "without them nothing can run", "write nodes = 16"
        )
    return Node(count, cores)


def _prepare(
    mix: MixFile, node: Node, told: NodePower | str, log: swf.Log | None, foretell: Foretell
) -> _Prepared:
    found = tuple(kinds.kinds_of(mix, node, foretell))
    notes = [kind.note for kind in found if kind.note]
    load: workload.Workload | workload.LoggedWorkload
    if found:
        load, jobs = workload.of_mix(mix, found, log), sum(kind.count for kind in found)
    else:
        assert log is not None
        load, larger = workload.of_log(log, node)
        jobs = len(load.jobs)
        notes += (
            [f"{units.count(larger, 'job')} of the log left out: larger than the machine"] if larger else []
        )
    _require_room(mix, node, jobs)
    power, no_power = (told, "") if isinstance(told, NodePower) else (None, told)
    matrix = slower(found, mix.pairs) if found else np.ones((1, 1))
    scenario = Scenario(load, node, mix.policy, mix.depth, mix.shared, matrix, power, mix.seed)
    exact = load.exact and (power is None or power.exact)
    draws = 1 if exact else mix.drawn(jobs)
    return _Prepared(scenario, found, jobs, draws, (*notes, *_log_notes(log)), no_power)


def _log_notes(log: swf.Log | None) -> list[str]:
    if log is None:
        return []
    notes = [f"{units.count(count, 'job')} of the log left out: {why}" for why, count in log.left_out.items()]
    if log.unsorted:
        notes.append(f"the log is not in the order of arrival at {log.unsorted} places; it was sorted")
    return notes


def _require_room(mix: MixFile, node: Node, jobs: int) -> None:
    """Raises UserError for a mix on shared nodes that would take hours."""
    if mix.shared and jobs > MOST_SHARED:
        why = f"more than {MOST_SHARED} take hours"
        raise UserError(f"{jobs} jobs on shared nodes", why, "give jobs whole nodes, or fewer jobs")
    if mix.shared and node.count > MOST_SHARED_NODES:
        raise UserError(
            f"{node.count} nodes are shared", f"at most {MOST_SHARED_NODES} can be", "give jobs whole nodes"
        )


def _others(
    base: _Prepared, mix: MixFile, node: Node, foretell: Foretell, log: swf.Log | None, wanted: Wanted
) -> list[tuple[str, Scenario]]:
    """What is asked otherwise, by name."""
    found = []
    if wanted.more_nodes:
        more = math.ceil(node.count * (1.0 + wanted.more_nodes))
        name = f"{units.percent(more / node.count - 1.0)} more nodes"
        found.append((name, replace(base.scenario, node=replace(node, count=more))))
    if changed := kinds.instead(mix, node, foretell):
        layouts = ", ".join(dict.fromkeys(one.instead for one in mix.jobs if one.instead))
        load = workload.of_mix(mix, changed, log)
        other = replace(base.scenario, workload=load, slower=slower(changed, mix.pairs))
        found.append((f"{layouts} instead of the layouts written", other))
    if wanted.policies:
        found += [
            (policy, replace(base.scenario, policy=policy)) for policy in POLICIES if policy != mix.policy
        ]
    return found


def _what_if(
    name: str, other: Scenario, played: Sequence[Measured], after: Sequence[Measured]
) -> answer.WhatIf:
    return answer.WhatIf(
        name=name,
        nodes=other.node.count,
        policy=other.policy,
        figures=answer.figures(after),
        makespan=answer.ratio(played, after, lambda one: one.makespan_s),
        mean_wait=answer.ratio(played, after, lambda one: one.mean_wait_s),
        energy=answer.ratio(played, after, lambda one: one.energy_j),
    )


def _kinds(base: _Prepared, played: Sequence[Measured]) -> list[answer.KindOfJobs]:
    return [
        answer.KindOfJobs(
            name=kind.name,
            count=kind.count,
            nodes=kind.needs,
            limit_s=kind.limit_s,
            run_s=answer.over(played, lambda one, number=number: one.run_of_kind_s[number]),
            wait_s=answer.over(played, lambda one, number=number: one.wait_of_kind_s[number]),
        )
        for number, kind in enumerate(base.kinds)
    ]
