"""Kinds of jobs: what one of them needs and how long it takes, from a mix, its forecasts and the machine."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.work import Scalar
from hakaru.foretell.forecast.request import round_time
from hakaru.foretell.mix.draws import Times
from hakaru.foretell.mix.file import JobsOf, MixFile, span


@dataclass(frozen=True)
class Asked:
    """A run whose time is wanted. ``repetitions`` 0: as many as the program makes untold."""

    program: str
    given: Mapping[str, Scalar]
    ranks: int
    threads: int
    nodes: int
    repetitions: int

    @property
    def layout(self) -> str:
        return f"{self.ranks}x{self.threads}"

    @property
    def name(self) -> str:
        return " ".join([self.program, *programs.assignments(dict(self.given)), self.layout])


@dataclass(frozen=True)
class Foretold:
    """Of a whole job; ``note``: what a person should know of it, empty where nothing is."""

    times: Times
    note: str = ""


Foretell = Callable[[Asked], Foretold]


@dataclass(frozen=True)
class Kind:
    """``needs``: nodes, ``cores`` of each. Kinds of one ``family`` rest on the same runs and are wrong together. ``written``: of which
    [[jobs]] it is; ``label``: by which name [[pairs]] call it."""

    name: str
    label: str
    family: str
    written: int
    times: Times
    needs: int
    cores: int
    limit_s: float
    count: int
    note: str = ""


@dataclass(frozen=True)
class Node:
    """What a node has: ``count`` of them, each with ``cores``."""

    count: int
    cores: int


def kinds_of(mix: MixFile, node: Node, foretell: Foretell) -> list[Kind]:
    """In the order of the file. Raises UserError for a job that the machine cannot hold and for one that nothing foretells."""
    found = []
    for number, one in enumerate(mix.jobs):
        for made in _programs(one, number, node, foretell) if one.program else [_known(one, number, node)]:
            found.append(_with_limit(made, one, mix))
    names = [kind.name for kind in found]
    if again := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"two [[jobs]] are called '{again}'", "nothing tells them apart", "give them a name")
    _require_pairs(mix, {kind.label for kind in found})
    return found


def instead(mix: MixFile, node: Node, foretell: Foretell) -> list[Kind] | None:
    """The kinds with the other layouts that the mix names; None where it names none."""
    if not any(one.instead for one in mix.jobs):
        return None
    changed = tuple(replace_layout(one) if one.instead else one for one in mix.jobs)
    return kinds_of(_with_jobs(mix, changed), node, foretell)


def replace_layout(one: JobsOf) -> JobsOf:
    """All its jobs in the other layout: as many kinds as before, so that draws stay comparable."""
    fields = {name: getattr(one, name) for name in one.__struct_fields__}
    return JobsOf(**fields | {"layouts": (one.instead,) * len(one.layouts), "instead": None})


def _with_jobs(mix: MixFile, jobs: tuple[JobsOf, ...]) -> MixFile:
    return MixFile(**{name: getattr(mix, name) for name in mix.__struct_fields__} | {"jobs": jobs})


def _programs(one: JobsOf, number: int, node: Node, foretell: Foretell) -> list[Kind]:
    lists = {name: value if isinstance(value, list) else [value] for name, value in one.parameters.items()}
    found = []
    for values in itertools.product(*lists.values()):
        given = dict(zip(lists, values, strict=True))
        merged: dict[str, Kind] = {}
        for layout in one.layouts:
            ranks, threads = map(int, layout.split("x"))
            nodes, cores = _room(f"{one.program} {layout}", ranks, threads, one.nodes, node)
            asked = Asked(one.program, given, ranks, threads, nodes, one.repetitions)
            if asked.name in merged:
                before = merged[asked.name]
                merged[asked.name] = replace(before, count=before.count + one.count)
                continue
            told = foretell(asked)
            label, family = one.name or one.program, f"{one.program} {layout}"
            merged[asked.name] = Kind(
                asked.name, label, family, number, told.times, nodes, cores, 0.0, one.count, told.note
            )
        found += merged.values()
    return found


def _room(what: str, ranks: int, threads: int, nodes: int, node: Node) -> tuple[int, int]:
    """(nodes, cores of each). Raises UserError where the machine has less."""
    if threads > node.cores:
        raise UserError(
            f"{what} does not fit",
            f"a rank wants {threads} cores, and a node has {node.cores}",
            "use fewer threads",
        )
    nodes = nodes or -(-ranks // (node.cores // threads))
    if nodes > ranks:
        raise UserError(
            f"{what} cannot run on {nodes} nodes", "there are fewer ranks than nodes", "use fewer"
        )
    cores = -(-ranks // nodes) * threads
    if cores > node.cores:
        why = f"on {nodes} nodes {cores} cores of each are wanted, and a node has {node.cores}"
        raise UserError(f"{what} does not fit", why, "use more nodes or a smaller layout")
    _require_nodes(what, nodes, node)
    return nodes, cores


def _require_nodes(what: str, nodes: int, node: Node) -> None:
    if nodes > node.count:
        raise UserError(
            f"{what} can never run", f"it needs {nodes} nodes, and there are {node.count}", "make it smaller"
        )


def _known(one: JobsOf, number: int, node: Node) -> Kind:
    name, nodes, cores = one.name or f"jobs {number + 1}", one.nodes or 1, one.cores or node.cores
    _require_nodes(name, nodes, node)
    if cores > node.cores:
        raise UserError(
            f"{name} can never run",
            f"it needs {cores} cores of a node, which has {node.cores}",
            "make it smaller",
        )
    usual = span(one.usual_s)
    times = Times(usual, one.time_s or usual)
    return Kind(name, name, name, number, times, nodes, cores, 0.0, one.count)


def _with_limit(kind: Kind, one: JobsOf, mix: MixFile) -> Kind:
    """What was written, else what hakaru would ask for: the upper end of any one run, slowed by the worst neighbour, rounded up."""
    worst = max((pair.slower for pair in mix.pairs if pair.job == kind.label), default=1.0)
    most = kind.times.any_one.high * worst + span(mix.overhead_s).high
    return replace(kind, limit_s=one.limit_s or round_time(most))


def _require_pairs(mix: MixFile, labels: set[str]) -> None:
    for pair in mix.pairs:
        for name in (pair.job, pair.beside):
            if name not in labels:
                known = ", ".join(sorted(labels))
                raise UserError(
                    f"[[pairs]] names '{name}'", f"the jobs are called {known}", "use one of these"
                )
