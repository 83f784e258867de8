"""Candidate models, one file each: ``propose(situation) -> list[Candidate]``; found by scanning this
folder."""

import importlib
import math
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType

from hakaru.facts.machines import Machine
from hakaru.foretell.models.growth import Growth
from hakaru.foretell.models.observations import WAITING, Point

COUNTS = ("flops", "bytes", "messages", "message_bytes")
ROUNDING = 1e-9


@dataclass(frozen=True)
class Term:
    """One feature of a model: its name in the formula and its value at a point (any unit; the coefficient
    makes it seconds)."""

    name: str
    value: Callable[[Point], float]


@dataclass(frozen=True)
class Candidate:
    """time = sum over terms of a non-negative coefficient times the term's value. ``rarity``: how seldom programs grow so; 0 where the
    program's own counts or the user say it. ``priced``: by the machine's facts."""

    terms: tuple[Term, ...]
    rarity: int = 0
    priced: bool = False

    def rarer(self, steps: int) -> "Candidate":
        return replace(self, rarity=self.rarity + steps)

    @property
    def name(self) -> str:
        return " + ".join(
            f"c{index}" if term.name == "1" else f"c{index} * {term.name}"
            for index, term in enumerate(self.terms)
        )

    def growth(self, before: Point, after: Point) -> float:
        """Of the term that grows most."""
        grown = [(term.value(before), term.value(after)) for term in self.terms]
        return max(then / now if now > 0.0 else 0.0 for now, then in grown)

    def formula(self, coefficients) -> str:
        """The model with its numbers, leaving out terms whose coefficient is zero."""
        parts = [
            f"{c:.3g}" if term.name == "1" else f"{c:.3g} * {term.name}"
            for term, c in zip(self.terms, coefficients, strict=True)
            if c > 0.0
        ]
        return " + ".join(parts) or "0"


@dataclass(frozen=True)
class Situation:
    """What a candidate may look at: the phase and its kind, the measured points with their times, the wanted point, the user's growth law,
    the machine that they were measured on; ``emptied``: the phase found the caches empty at these points."""

    phase: str
    kind: str
    points: tuple[Point, ...]
    target: Point
    growth: Growth | None = None
    machine: Machine | None = None
    time_s: tuple[float, ...] = ()
    emptied: bool = False

    @property
    def counted(self) -> bool:
        """Whether the program says the work of this phase: laws that know nothing of it are rarer then."""
        return all(
            self.phase in point.work and any(point.count(self.phase, name) for name in COUNTS)
            for point in self.points
        )

    def may_grow_as(self, candidate: Candidate) -> bool:
        """False where the candidate grows faster than ``most_growth`` up to the wanted size."""
        most = self.most_growth
        return math.isinf(most) or candidate.growth(self._largest, self.target) <= most * (1.0 + ROUNDING)

    @cached_property
    def most_growth(self) -> float:
        """Of a phase in which ranks wait, for messages, which are counted, and for each other's computing: as much as any count of the
        program or the phase, from the largest problem measured on the wanted layout to a larger one. Infinity where nothing bounds it."""
        known = self.kind == "idle" or (self.kind in WAITING and self.phase in self.target.work)
        largest = self._largest
        if not known or self.growth or largest.size >= self.target.size:
            return math.inf
        grown = (
            self.target.count(phase, name) / largest.count(phase, name)
            for phase in (None, self.phase)
            for name in COUNTS
            if largest.count(phase, name) > 0.0
        )
        return max(grown, default=math.inf)

    @cached_property
    def _largest(self) -> Point:
        """Of the points measured on the wanted layout; the wanted one where there are none."""
        alike = [point for point in self.points if point.has_layout_of(self.target)]
        return max(alike, key=lambda point: point.size, default=self.target)

    @property
    def layouts_vary(self) -> bool:
        """True when ranks or threads differ among the measured points or from the wanted one."""
        return len({(point.ranks, point.threads) for point in (*self.points, self.target)}) > 1

    def work_term(self, name: str, count: str, divide: Callable[[Point], float]) -> Term:
        return Term(name, lambda point: point.count(self.phase, count) / divide(point))


CONSTANT = Term("1", lambda point: 1.0)


def propose(situation: Situation) -> list[Candidate]:
    """Every candidate of every file; with a growth law stated by the user only candidates that follow it.

    A file says with ``FOLLOWS_STATED_GROWTH = True`` that it is for that case, with ``FOR_EMPTY_CACHES = True`` that it is for phases
    that found the caches empty, and with ``PREFERRED = True`` that its form is the one to show where two candidates are the same function.
    """
    found: list[Candidate] = []
    preferred: list[Candidate] = []
    for module_info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        if module_info.name.startswith("test_"):
            continue
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        if _is_for(module, situation):
            (preferred if getattr(module, "PREFERRED", False) else found).extend(
                one for one in module.propose(situation) if situation.may_grow_as(one)
            )
    return preferred + [one if one.priced else one.rarer(situation.counted) for one in found]


def _is_for(module: ModuleType, situation: Situation) -> bool:
    stated = situation.growth is not None
    if getattr(module, "FOLLOWS_STATED_GROWTH", False) != stated:
        return False
    return stated or getattr(module, "FOR_EMPTY_CACHES", False) == situation.emptied
