"""What could be run: nodes, ranks of a node, threads, order of ranks on nodes, sockets, choices of the program, algorithms of collectives."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.description import Description, Parameter
from hakaru.facts.machines import Machine
from hakaru.foretell.advise.sockets import BINDINGS, Sockets
from hakaru.run.launchers import BLOCK, CYCLIC, Launch

VARIED = (
    "transposition",
    "overlap",
)  # parameters that change how a program communicates, not what it computes
MAPPINGS = (BLOCK, CYCLIC)
MOST_HALVINGS = 3


@dataclass(frozen=True)
class Candidate:
    """``ranks_per_node`` x ``threads`` on each of ``nodes``. ``mapping``: ranks in order fill a node (block) or go round the nodes
    (cyclic). ``sockets``: of a node whose ranks are spread evenly over them (scatter); 0: ranks fill a socket, then the next (compact).
    ``parameters`` are the program's own choices, ``collectives`` algorithms."""

    nodes: int
    ranks_per_node: int
    threads: int
    mapping: str = MAPPINGS[0]
    parameters: tuple[tuple[str, Any], ...] = ()
    collectives: tuple[tuple[str, str], ...] = ()
    source: str | None = None  # of a person's own program: its trace
    sockets: int = 0

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    @property
    def binding(self) -> str:
        return BINDINGS[self.sockets > 0]

    @property
    def model(self) -> str:
        return "hybrid" if self.threads > 1 else "flat"

    @property
    def name(self) -> str:
        words = [f"{units.count(self.ranks, 'rank')} x {units.count(self.threads, 'thread')}"]
        words += [f"on {units.count(self.nodes, 'node')}"]
        return ", ".join([" ".join(words), *self.ways, *([self.source] if self.source else [])])

    @property
    def ways(self) -> list[str]:
        """How it communicates, where there is a choice."""
        words = [f"{name}={_word(value)}" for name, value in self.parameters]
        words += [f"{name} by {way}" for name, way in self.collectives]
        words += ["ranks round the nodes"] if self.mapping != MAPPINGS[0] else []
        return words + (["spread over sockets"] if self.sockets else [])

    @property
    def launch(self) -> str:
        """What starts it with Open MPI, but for the program."""
        return Launch(
            "openmpi",
            self.ranks,
            self.threads,
            self.nodes,
            mapping=self.mapping,
            sockets=self.sockets,
        ).advised()


@dataclass
class Family:
    """Layouts that can run, and in words those that cannot."""

    candidates: list[Candidate] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def node_counts(nodes: int) -> list[int]:
    """All nodes, and up to three halvings: a program may run faster on fewer."""
    counts = [nodes]
    while counts[-1] > 1 and len(counts) <= MOST_HALVINGS:
        counts.append(counts[-1] // 2)
    return counts


def splits(cores: int, fewer: bool) -> list[tuple[int, int]]:
    """(ranks, threads) of a node: every number of ranks that divides its cores, and powers of two, which leave some cores idle; with
    ``fewer`` also one core alone."""
    powers = {1 << power for power in range(cores.bit_length()) if 1 << power <= cores}
    ranks = sorted({count for count in range(1, cores + 1) if cores % count == 0} | powers, reverse=True)
    return [(count, cores // count) for count in ranks] + ([(1, 1)] if fewer and cores > 1 else [])


def varied(description: Description, given: Mapping[str, Any], asked: Sequence[str]) -> dict[str, list[Any]]:
    """Values of the parameters to be varied: those asked for (``name`` or ``name=a,b``), and what is known to change communication.

    Raises UserError for a parameter that is not there or has no list of values."""
    known = {entry.name: entry for entry in description.parameters}
    result: dict[str, list[Any]] = {}
    for word in asked:
        name, equals, text = word.partition("=")
        if name not in known:
            raise UserError(
                f"there is no parameter '{name}'", f"known are: {', '.join(known)}", "choose one of them"
            )
        result[name] = text.split(",") if equals else _values(known[name])
    for name in VARIED:
        if name in known and name not in given and name not in result:
            result[name] = _values(known[name])
    return result


def _values(entry: Parameter) -> list[Any]:
    if entry.type == "choice":
        return list(entry.choices)
    if entry.type == "boolean":
        return [False, True]
    name = entry.name
    raise UserError(
        f"'{name}' has no list of values", f"it is of type {entry.type}", f"write --vary {name}=A,B"
    )


def algorithms(words: Sequence[str]) -> dict[str, list[str]]:
    """{"alltoall": ["library", "pairwise"]} of ``alltoall=pairwise``; the library's own choice is always among them."""
    result: dict[str, list[str]] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not equals or not name or not text:
            raise UserError(
                f"'{word}' is not understood",
                "a collective gets algorithms",
                "write --collective alltoall=pairwise,bruck",
            )
        result[name] = ["library", *[way.strip() for way in text.split(",") if way.strip()]]
    return result


def family(
    program: str,
    given: Mapping[str, Any],
    machine: Machine,
    nodes: int,
    cores: int | None = None,
    vary: Sequence[str] = (),
    collectives: Sequence[str] = (),
    most_ranks: int = 4096,
) -> Family:
    """The layouts of a program of hakaru on so many nodes. Raises UserError when the machine does not say its cores."""
    described = programs.named(program).describe(dict(given))
    each = cores or _cores(machine)
    choices = varied(described, given, vary)
    ways = algorithms(collectives)
    found = Family()
    for place in _places(machine, nodes, each):
        for values in itertools.product(*choices.values()):
            for way in itertools.product(*ways.values()):
                picked = tuple(pair for pair in zip(ways, way, strict=True) if pair[1] != "library")
                parameters = tuple(zip(choices, values, strict=True))
                one = replace(place, parameters=parameters, collectives=picked)
                _sort_in(found, one, program, given, machine, most_ranks)
    return found


def _places(machine: Machine, nodes: int, cores: int) -> Iterator[Candidate]:
    """Nodes, ranks and threads of each, order of ranks on nodes, and sockets."""
    sockets = Sockets.of(machine)
    for count in node_counts(nodes):
        for ranks, threads in splits(cores, count == 1):
            for mapping in MAPPINGS if count > 1 and ranks > 1 else MAPPINGS[:1]:
                for binding in sockets.bindings(ranks, threads) if sockets else BINDINGS[:1]:
                    spread = sockets.count if sockets and binding == BINDINGS[1] else 0
                    yield Candidate(count, ranks, threads, mapping, sockets=spread)


def _sort_in(
    found: Family, one: Candidate, program: str, given: Mapping[str, Any], machine: Machine, most_ranks: int
) -> None:
    if one.ranks == 1 and (one.collectives or _repeats(one, found)):
        return  # one rank sends nothing: every way of sending is the same
    why = _why_not(one, program, given, machine, most_ranks)
    if why is None:
        found.candidates.append(one)
    elif (text := f"{_size(one)}: {why}") not in found.left_out:
        found.left_out.append(text)


def _size(one: Candidate) -> str:
    return Candidate(one.nodes, one.ranks_per_node, one.threads).name


def _repeats(one: Candidate, found: Family) -> bool:
    return any((other.ranks, other.threads) == (1, one.threads) for other in found.candidates)


def _why_not(
    one: Candidate, program: str, given: Mapping[str, Any], machine: Machine, most_ranks: int
) -> str | None:
    if one.ranks > most_ranks:
        return f"more than {most_ranks} ranks (--most-ranks)"
    work = programs.named(program).work(dict(given) | dict(one.parameters), one.ranks, one.threads)
    if work.refused:
        return work.refused
    capacity = machine.number("memory.capacity")
    needed = (work.memory_bytes or 0.0) / one.nodes
    if capacity and needed > capacity:
        return f"needs {units.capacity(needed)} of a node, which has {units.capacity(capacity)}"
    return None


def _cores(machine: Machine) -> int:
    cores = machine.number("processor.cores")
    if cores is None:
        raise UserError(
            f"the machine '{machine.name}' does not say processor.cores",
            "it decides how many ranks and threads a node holds",
            "give --cores",
        )
    return int(cores)
