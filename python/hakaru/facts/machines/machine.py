"""A machine: facts in a tree, measured or published (schema/machine.schema.json). Reading, writing, walking, asking, changing."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hakaru.facts.machines import files, tree
from hakaru.facts.machines.fact import Fact

MEASURED_ON = "measured on "  # and the host: the description of a machine that was probed
LEVELS = ("core", "socket", "node", "switch")  # of the network: kinds of distance between two ranks
SPARSE_ROW = 128  # elements of a row where nobody says, and of all that was measured before 2026-11-27


@dataclass(frozen=True)
class OfCores:
    """A rate of ``cores`` cores; ``note`` says when the machine has none of exactly the count that was asked for."""

    fact: Fact
    name: str
    note: str = ""

    @property
    def value(self) -> float:
        return self.fact.value

    @property
    def cores(self) -> int:
        return self.fact.keys["cores"]

    @property
    def plain(self) -> Fact:
        """The fact without its interval and what else it is about."""
        return Fact(
            value=self.value, unit=self.fact.unit, source=self.fact.source, keys={"cores": self.cores}
        )


@dataclass(frozen=True)
class MemoryLevel:
    """A cache or the memory: capacity in B as seen, else as reported; latency in s."""

    name: str
    capacity: float | None
    latency: float | None

    @property
    def is_memory(self) -> bool:
        return self.name == "memory"

    @property
    def is_step(self) -> bool:
        """Seen in a curve, but no cache is known for it: its name says where."""
        return self.name.startswith("step at ")


@dataclass(frozen=True)
class Machine:
    """``tree`` is its file and is never changed; ``as_measured`` is the machine before facts of its network were set for a replay."""

    tree: tree.Tree
    before: "Machine | None" = None

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Machine":
        """From the tables of a file, unchecked: ``problems`` says what is wrong with them."""
        return cls(dict(content))

    @classmethod
    def load(cls, path: str | Path) -> "Machine":
        """The checked content of a machine file. Raises UserError when it is missing, not TOML or not a machine."""
        return cls(files.load(path))

    @classmethod
    def probed_into(cls, folder: Path, host: str) -> "Machine | None":
        """The machine of a results folder, where it was measured on that host. Raises UserError when its file is damaged."""
        path = folder / "machine.toml"
        if not path.is_file():
            return None
        found = cls.load(path)
        return (
            found
            if found.is_measured and host in (found.name, found.description.removeprefix(MEASURED_ON))
            else None
        )

    def save(self, path: Path) -> None:
        """Writes the file atomically. Raises UserError when it cannot be written."""
        files.save(self.tree, path)

    @property
    def known(self) -> bool:
        """False of a machine of which nothing is said."""
        return bool(self.tree)

    @property
    def name(self) -> str:
        return self.tree.get("name", "")

    @property
    def kind(self) -> str:
        return self.tree.get("kind", "")

    @property
    def is_measured(self) -> bool:
        return self.kind == "measured"

    @property
    def title(self) -> str:
        return f"{self.name}: {self.description} ({self.kind}, {self.tree['date']})"

    @property
    def description(self) -> str:
        return self.tree.get("description", "")

    @property
    def as_measured(self) -> "Machine":
        return self.before or self

    @cached_property
    def _facts(self) -> dict[str, tuple[Fact, ...]]:
        found: dict[str, list[Fact]] = {}
        for path, entry in tree.walk(self.tree):
            found.setdefault(path, []).append(Fact.of(entry))
        return {path: tuple(facts) for path, facts in found.items()}

    def walk(self) -> Iterator[tuple[str, Fact]]:
        """Every fact with its path, in the order of the file; those of one array share a path and differ by their keys."""
        for path, entry in tree.walk(self.tree):
            yield path, Fact.of(entry)

    def has(self, path: str) -> bool:
        """Whether anything is said below a path."""
        return bool(tree.at(self.tree, path.split(".")))

    def parts(self, path: str) -> tuple[str, ...]:
        """Names of what lies below a path."""
        node = tree.at(self.tree, path.split("."))
        return tuple(node) if isinstance(node, dict) and not tree.is_fact(node) else ()

    def facts(self, path: str, **keys: Any) -> tuple[Fact, ...]:
        """All facts at a path whose keys have these values, be it one or an array."""
        found = self._facts.get(path, ())
        return tuple(fact for fact in found if fact.about(**keys)) if keys else found

    def find(self, path: str, **keys: Any) -> Fact | None:
        """The first of them: find("memory.bandwidth", kernel="triad", cores=1)."""
        return next(iter(self.facts(path, **keys)), None)

    def values(self, *path: str) -> tuple[Fact, ...]:
        """The array of facts at a path; empty where there is none."""
        return self._facts.get(".".join(path), ()) if isinstance(tree.at(self.tree, path), list) else ()

    def value(self, *path: str) -> Fact | None:
        """The single fact at a path."""
        node = tree.at(self.tree, path)
        return Fact.of(node) if tree.is_fact(node) else None

    def number(self, path: str) -> float | None:
        """Value of the first fact at a path, where it is a number."""
        found = self.find(path)
        return found.value if found and found.is_number else None

    # What is asked most

    @property
    def cores(self) -> int | None:
        """Of a node."""
        found = self.value("processor", "cores")
        return int(found.value) if found else None

    def peak(self, cores: int, precision: str = "double") -> OfCores | None:
        """Largest measured rate of arithmetic in that precision: fused multiply-add, or DGEMM where it is faster.

        Facts that name no precision are double. Without any in single precision, the double one is given, noted.
        """
        fma = tuple(fact for fact in self.values("compute", "kernels") if fact.about(kernel="fma"))
        sources = {
            "fma_peak": self.values("compute", "fma_peak") + fma,
            "dgemm": self.values("compute", "dgemm"),
        }
        found = [
            at_cores([f for f in facts if f.keys.get("precision", "double") == precision], cores, name)
            for name, facts in sources.items()
        ]
        best = max((one for one in found if one), key=lambda one: one.value, default=None)
        if best is None and precision != "double":
            best = self.peak(cores)
            return best and replace(best, note=f"no peak in {precision} precision, that in double is used")
        return best

    def bandwidth(self, cores: int, write_allocate: bool = True) -> OfCores | None:
        """Memory bandwidth of the fastest STREAM kernel of those that were told for the nearest number of cores (``at_cores``), in the
        counting convention of the bytes it is compared with."""
        facts = self.values("memory", "bandwidth_write_allocate" if write_allocate else "bandwidth")
        kernels = sorted({fact.keys.get("kernel", "") for fact in facts})
        found = [
            at_cores([f for f in facts if f.keys.get("kernel", "") == kernel], cores, kernel)
            for kernel in kernels
        ]
        known = [one for one in found if one]
        nearest = min((_distance(one.cores, cores) for one in known), default=None)
        return max(
            (one for one in known if _distance(one.cores, cores) == nearest),
            key=lambda one: one.value,
            default=None,
        )

    def bandwidth_of(self, working_set: float, cores: int) -> float | None:
        """B/s of ``cores`` cores together whose data take ``working_set`` B each: on the measured curve of at least as many cores, else of
        the most, linear in logarithms between its points and constant beyond them; None where there is no curve."""
        facts, measured = _of_as_many(self.values("memory", "working_sets"), cores)
        curve = [(fact.keys["bytes"], fact.value) for fact in facts]
        return _on_curve(curve, working_set) * cores / measured if curve else None

    def indexed_bandwidth(self, working_set: float, gathered: float, cores: int) -> float | None:
        """The same of sparse matrices, arithmetic included, whose vectors that are loaded from take ``gathered`` B of each core (0: unknown):
        between the curves of matrices with so many elements a row. Of data beyond the curves the vector is what counts."""
        facts, measured = _of_as_many(self.values("memory", "indexed_sets"), cores)
        curves: dict[float, list[tuple[float, float]]] = {}
        for fact in facts:
            curves.setdefault(fact.keys.get("row", SPARSE_ROW), []).append((fact.keys["bytes"], fact.value))
        if not curves:
            return None
        matrix = min(working_set, max(fact.keys["bytes"] for fact in facts))
        # n rows take n (12 row + 16) B, and the vector 8 n.
        row = (8.0 * matrix / gathered - 16.0) / 12.0 if gathered else SPARSE_ROW
        return _between_curves(curves, working_set, row) * cores / measured

    @cached_property
    def levels(self) -> tuple[MemoryLevel, ...]:
        """Levels of the memory hierarchy; those with a latency in its order.

        Several probes may each tell a part of a level under its name, and a level that only one of them sees comes last in the file.
        """
        entries = tree.at(self.tree, ("memory", "levels")) or []
        names = list(dict.fromkeys(entry.get("name", "?") for entry in entries))
        found = [self._level(name) for name in names]
        by_latency = iter(sorted((one for one in found if one.latency), key=lambda one: one.latency))
        return tuple(next(by_latency) if one.latency else one for one in found)

    def _level(self, name: str) -> MemoryLevel:
        def last(part: str) -> float | None:
            found = self.facts(f"memory.levels[{name}].{part}")
            return found[-1].value if found else None

        seen = last("capacity")
        return MemoryLevel(name, last("capacity_reported") if seen is None else seen, last("latency"))

    @property
    def last_cache_bytes(self) -> float | None:
        """Capacity of the largest cache, in B."""
        return max((one.capacity for one in self.levels if one.capacity and not one.is_memory), default=None)

    @property
    def cache_share_bytes(self) -> float | None:
        """Most B that a core keeps in a cache while all cores do: of reported capacities, each over the ``cores`` that its fact says share
        it. Where it says nothing the last cache is its socket's, and the others are a core's own."""
        facts = [
            self.find(f"memory.levels[{one.name}].capacity_reported")
            for one in self.levels
            if not one.is_memory
        ]
        caches = [fact for fact in facts if fact]
        last = max(caches, key=lambda fact: fact.value, default=None)
        return max(
            (
                fact.value / fact.keys.get("cores", self._cores_of_socket if fact is last else 1)
                for fact in caches
            ),
            default=None,
        )

    @property
    def _cores_of_socket(self) -> float:
        cores, sockets = self.find("processor.cores"), self.find("processor.sockets")
        return (cores.value if cores else 1) / (sockets.value if sockets else 1)

    def pingpong_s(self, message_bytes: float) -> float | None:
        """Time in s of one message of that size on the fastest level known, linear between the measured sizes."""
        for level in LEVELS:
            facts = self.values("network", level, "pingpong")
            if facts:
                return _between(sorted((fact.keys["bytes"], fact.value) for fact in facts), message_bytes)
        return None

    # Other machines like it

    def mapped(self, function: Callable[[Fact], Fact]) -> "Machine":
        """The machine with each fact replaced by what the function makes of it."""
        made = tree.mapped(self.tree, lambda entry: function(Fact.of(entry)).as_dict())
        return replace(self, tree=made)

    def with_facts(self, path: str, facts: Fact | Iterable[Fact] | None) -> "Machine":
        """The machine with a fact, or an array of them, in place of what was at a path; None takes it away."""
        node: Any = facts
        if isinstance(facts, Fact):
            node = facts.as_dict()
        elif facts is not None:
            node = [fact.as_dict() for fact in facts]
        return replace(self, tree=tree.replaced(self.tree, path.split("."), node))

    def with_fact(self, path: str, value: float | str, **keys: Any) -> "Machine":
        """The machine on which the facts at a path with these keys have another value. Raises KeyError when there is none."""
        if not self.facts(path, **keys):
            raise KeyError(path)
        return self.with_each(path, lambda fact: fact.with_value(value) if fact.about(**keys) else fact)

    def with_each(self, path: str, function: Callable[[Fact], Fact]) -> "Machine":
        """The machine with each fact at a path replaced by what the function makes of it."""
        facts = [function(fact) for fact in self.facts(path)]
        single = tree.is_fact(tree.at(self.tree, path.split(".")))
        return self.with_facts(path, facts[0] if single else facts)

    def with_parts_of(self, other: "Machine", names: Iterable[str]) -> "Machine":
        """The machine with what another says below these names, where it says anything."""
        return replace(
            self, tree=self.tree | {name: other.tree[name] for name in names if name in other.tree}
        )

    def without(self, path: str) -> "Machine":
        """The machine without the facts at a path as ``walk`` names it: ``memory.levels[L1].latency``."""
        return replace(self, tree=tree.without(self.tree, path.split(".")))

    def joined_with(self, other: tree.Tree) -> "Machine":
        """The machine with the facts of another tree beside its own; arrays of one path are joined."""
        return replace(self, tree=tree.merged(self.tree, other))

    def about_to_be_set(self, path: str) -> "Machine":
        """The same, which remembers what was measured before a fact of the network is set."""
        return self if self.before or not path.startswith("network.") else replace(self, before=self)

    def named(self, name: str) -> "Machine":
        return replace(self, tree=self.tree | {"name": name})


UNKNOWN = Machine({})


def at_cores(facts: Iterable[Fact], cores: int, name: str) -> OfCores | None:
    """The fact for ``cores`` cores: exact, else of the next larger count (still an upper bound), else of the largest."""
    best: dict[int, Fact] = {}
    for fact in facts:
        count = fact.keys.get("cores")
        if count is not None and (fact.value > best[count].value if count in best else fact.value > 0.0):
            best[count] = fact
    known = [best[count] for count in sorted(best)]
    if not known:
        return None
    index = bisect_left([fact.keys["cores"] for fact in known], cores)
    fact = known[min(index, len(known) - 1)]
    of = fact.keys["cores"]
    return OfCores(fact, name, "" if of == cores else f"no fact for {cores} cores, that of {of} is used")


def _distance(known: int, cores: int) -> tuple[bool, int]:
    """How far a fact of ``known`` cores is from ``cores``: fewer are farther than any more, as ``at_cores`` has it."""
    return known < cores, abs(known - cores)


def _of_as_many(facts: Sequence[Fact], cores: int) -> tuple[list[Fact], int]:
    """Those of at least so many cores, else of the most, and of how many they are."""
    counts = {fact.keys["cores"] for fact in facts}
    measured = min((count for count in counts if count >= cores), default=max(counts, default=1))
    return [fact for fact in facts if fact.keys["cores"] == measured], measured


def _on_curve(curve: Sequence[tuple[float, float]], size: float) -> float:
    """Linear in logarithms between its points, constant beyond them."""
    points = [(math.log(one), math.log(rate)) for one, rate in sorted(curve)]
    return math.exp(_between(points, min(max(math.log(max(size, 1.0)), points[0][0]), points[-1][0])))


def _between_curves(curves: Mapping[float, Sequence[tuple[float, float]]], size: float, row: float) -> float:
    """Linear in logarithms between the curves of matrices with fewer and with more elements a row, and between their sizes, constant beyond
    them. Of the four corners around it the two with about the same vector count, and of the others the nearer one: a vector that leaves
    a cache changes the rate by half at once."""
    less, more, high = _around(curves, row)
    smaller, larger, far = _around([one for one, _ in curves[less]], size)
    nearer = (larger, less) if far > high else (smaller, more)
    corners = (
        (smaller, less, 1.0 - max(far, high)),
        (*nearer, abs(far - high)),
        (larger, more, min(far, high)),
    )
    return math.exp(sum(part * math.log(_on_curve(curves[row], size)) for size, row, part in corners))


def _around(values: Iterable[float], at: float) -> tuple[float, float, float]:
    """Those on both sides, and how far from the one to the other in logarithms; an end and itself beyond the ends."""
    known = sorted(values)
    at = min(max(at, known[0]), known[-1])
    less, more = max(one for one in known if one <= at), min(one for one in known if one >= at)
    return less, more, math.log(at / less, more / less) if more > less else 0.0


def _between(points: Sequence[tuple[float, float]], size: float) -> float:
    if len(points) == 1 or size <= points[0][0]:
        return points[0][1]
    index = min(max(bisect_left([one for one, _ in points], size), 1), len(points) - 1)
    (x0, t0), (x1, t1) = points[index - 1], points[index]
    return t0 + (t1 - t0) * (size - x0) / (x1 - x0)
