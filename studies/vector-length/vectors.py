"""Times of the probe's kernels in one language, and what its facts say of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hakaru.base.files import load_module
from hakaru.base.paths import root
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.records import Record

DISTILLER = load_module(root() / "probes" / "vector_length" / "distil.py")
L1_BYTES = 32768  # of the smallest first caches of today

Key = tuple[str, str, int]  # kernel, way, cores


@dataclass(frozen=True)
class Vectors:
    """``times``: seconds of a vector, sample by sample, by its length; ``sizes`` in bytes and ``operations`` are of an element, by kernel."""

    language: str
    times: Mapping[Key, Mapping[int, list[float]]] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    operations: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, Fact] = field(default_factory=dict)  # r_inf by kernel
    halves: Mapping[str, Fact] = field(default_factory=dict)  # n_1/2 by kernel
    evens: Mapping[tuple[str, str], Fact] = field(
        default_factory=dict
    )  # break-even lengths by kernel and way

    @property
    def cores(self) -> int:
        return max((cores for _, _, cores in self.times), default=1)

    def near(self, kernel: str, length: int, way: str = "one", cores: int = 1) -> int | None:
        """The measured length that is nearest by factors; None where the kernel was not measured so."""
        found = self.times.get((kernel, way, cores), {})
        return min(found, key=lambda one: abs(math.log(one / length)), default=None)

    def in_l1(self, kernel: str) -> int | None:
        """The longest measured length whose data stay in the first cache."""
        most = DISTILLER.SHARE_OF_L1 * L1_BYTES / self.sizes.get(kernel, math.inf)
        return max((one for one in self.times.get((kernel, "one", 1), {}) if one <= most), default=None)

    def per_element(self, kernel: str) -> list[float] | None:
        """Seconds of an element in the first cache, one core, sample by sample."""
        length = self.in_l1(kernel)
        return length and [one / length for one in self.times[kernel, "one", 1][length]]

    def ratio(self, kernel: str, other: str) -> Interval | None:
        """Of the times of an element in the first cache."""
        return ratio(self.per_element(kernel), self.per_element(other))

    def gain(self, kernel: str, length: int) -> tuple[int, Interval] | None:
        """(the measured length next to it, how many times faster all cores are that share a vector)"""
        near = self.near(kernel, length, "inner", self.cores)
        one = self.times.get((kernel, "one", 1), {}).get(near or 0)
        found = ratio(one, self.times[kernel, "inner", self.cores][near]) if near and one else None
        return (near, found) if near and found else None


def ratio(upper: list[float] | None, lower: list[float] | None) -> Interval | None:
    """Sample by sample, as they took turns."""
    if not upper or not lower:
        return None
    return median_interval([one / other for one, other in zip(upper, lower, strict=False)])


def of(records: Sequence[Record], machine: Machine) -> list[Vectors]:
    """One for each language that was measured."""
    times = DISTILLER.times_of(records)
    languages = dict.fromkeys(language for _, language, _, _ in times)
    sizes, operations = (DISTILLER.per_element(records, column) for column in ("bytes", "operations"))

    def facts(name: str, language: str) -> list[Fact]:
        return [one for one in machine.facts(f"compute.vector.{name}") if one.keys["language"] == language]

    return [
        Vectors(
            language,
            {
                (kernel, way, cores): own
                for (kernel, its, way, cores), own in times.items()
                if its == language
            },
            sizes,
            operations,
            *({one.keys["kernel"]: one for one in facts(name, language)} for name in ("r_inf", "n_half")),
            {
                (one.keys["kernel"], one.keys["way"]): one
                for one in _of_all_cores(facts("break_even", language))
            },
        )
        for language in languages
    ]


def _of_all_cores(facts: list[Fact]) -> list[Fact]:
    most = max((one.keys["cores"] for one in facts), default=1)
    return [one for one in facts if one.keys["cores"] == most]
