"""Laws of numbers: sizes of messages, counts, tags, work. A law is exact on all points that it was found on, and has fewer constants than points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hakaru.foretell.extrapolate.conditions import Condition
from hakaru.foretell.extrapolate.factors import PLAIN, STYLES, Factor, Monomials, Style, cost_of, value_of
from hakaru.foretell.extrapolate.grids import LINE, Grid
from hakaru.foretell.extrapolate.points import Block, Values, together

EXACT = 1e-9  # relative
LEAST = 0.8  # cost of the simplest product of its kind
MOST_PAIRS = 900  # columns among which pairs are sought
MOST_TRIPLES = 45
ODD = 1.5  # cost of a constant that is a fraction of other than powers of two, which counts of bytes and work seldom are
NEARNESS, FAR = 0.02, 0.5  # natural logarithms: for each unit of cost; the most that is taken for near


@dataclass(frozen=True)
class ValueLaw:
    name: str
    cost: float
    of: Callable[[Block], Values]
    others: "tuple[ValueLaw, ...]" = ()  # that fit as well and are as simple
    error: float = 0.0  # largest relative one on the points, of a law that is not exact
    since: int = 0  # ranks from which on it holds; 0: all


def constant(value: float) -> ValueLaw:
    return ValueLaw(f"{value:g}", 0.0, lambda block: np.full(block.who.shape, value))


def near(a: Values, b: Values) -> bool:
    return bool((np.abs(a - b) <= EXACT * np.maximum(np.abs(a), np.abs(b))).all())


class Fitter:
    """Seeks laws for values at fixed points."""

    def __init__(self, blocks: Sequence[Block], grids: Sequence[Grid], conditions: Sequence[Condition]):
        self.blocks, self.grids = list(blocks), list(grids)
        self.conditions = conditions
        self.sizes = sorted(set.intersection(*(set(block.sizes) for block in blocks))) if blocks else []
        self.peers = all(block.peers is not None for block in blocks)
        self._tables: dict[str, Monomials] = {}
        self._simple: list[tuple[Factor, Values]] | None = None
        self._kept: dict[bytes, ValueLaw | None] = {}

    def fit(self, values: Values, cases: bool = True) -> ValueLaw | None:
        """The simplest law, or None."""
        key = values.tobytes() + bytes([cases])
        if key not in self._kept:
            self._kept[key] = self._fit(values.astype(float), cases)
        return self._kept[key]

    def _fit(self, values: Values, cases: bool) -> ValueLaw | None:
        if (values == values[0]).all():
            return constant(float(values[0]))
        for attempt in (self._linear, self._styled, self._two_plain):
            if (found := attempt(values)) is not None:
                return found
        if cases and (found := self._cases(values)) is not None:
            return found
        for attempt in (self._three, self._styled_two):
            if (found := attempt(values)) is not None:
                return found
        return None

    def nearly(self, values: Values) -> ValueLaw | None:
        """The product that is nearest, for counts of work that no exact law was found for; None where it is far."""
        table = self._table(PLAIN)
        columns = table.table[:, table.kind]
        usable = np.flatnonzero((columns > 0).all(axis=1))
        if not (values > 0).all() or not len(usable):
            return None
        gaps = np.log(values / columns[usable])
        spread = gaps.max(axis=1) - gaps.min(axis=1)
        products = [table.product(int(table.first[row])) for row in usable]
        best = int(np.argmin(spread + NEARNESS * np.array([cost_of(product) for product in products])))
        if spread[best] > FAR:
            return None
        factor = float(np.exp((gaps[best].max() + gaps[best].min()) / 2))
        law = _product(factor, products[best])
        return ValueLaw(f"about {law.name}", law.cost + 5.0, law.of, (), float(np.expm1(spread[best] / 2)))

    def _linear(self, values: Values) -> ValueLaw | None:
        """a f + b, f a rank, turn or peer: what tags and roots are made of."""
        if len(np.unique(values)) < 2 or (values != np.round(values)).any():
            return None
        for factor, column in self._counts():
            if len(np.unique(column)) < 3 and "%" not in factor.name:
                continue
            slope, offset = np.polyfit(column, values, 1) if len(np.unique(column)) > 1 else (0.0, 0.0)
            slope, offset = round(slope), round(offset)
            if slope and (slope * column + offset == values).all():
                name = f"{slope} x {factor.name} + {offset}"
                return ValueLaw(name, 1.0, lambda block, f=factor, a=slope, b=offset: a * f.of(block) + b)
        return None

    def _counts(self) -> list[tuple[Factor, Values]]:
        if self._simple is None:
            factors = [
                Factor("rank", 1, lambda block: block.who),
                Factor("turn", 1, lambda block: block.turn),
                Factor("turns", 1, lambda block: block.turns),
                Factor("turn % 2", 1, lambda block: block.turn % 2),
                Factor("P", 1, lambda block: np.full(block.who.shape, block.ranks)),
            ]
            if self.peers:
                factors.append(Factor("peer", 1, lambda block: block.peers))
            for grid in self.grids:
                for axis in range(grid.axes if grid is not LINE else 0):
                    factors.append(
                        Factor(f"coordinate {axis + 1}", 1, lambda b, g=grid, a=axis: b.coordinate(g, a))
                    )
            self._simple = [(factor, together(self.blocks, factor.of).astype(float)) for factor in factors]
        return self._simple

    def _table(self, style: Style) -> Monomials:
        if style.name not in self._tables:
            self._tables[style.name] = Monomials(self.blocks, self.sizes, self.grids, style, self.peers)
        return self._tables[style.name]

    def _one(self, values: Values, style: Style = PLAIN) -> ValueLaw | None:
        """c m, m a monomial."""
        table = self._table(style)
        picked = values[table.picked]
        if len(np.unique(picked)) < 2 or (picked[table.kind] != values).any():
            return None
        scale = np.abs(picked).max()
        normal = np.abs(table.table).max(axis=1)
        gap = np.abs(table.table / normal[:, None] - picked / scale).max(axis=1)
        for row in np.argsort(gap, kind="stable")[:3]:
            if _ratio(picked, table.table[row]) is None:
                continue
            products = table.proportional(int(row))
            laws = [law for one in products if (law := _scaled(one, values, self.blocks)) is not None]
            best = min(laws, key=lambda law: law.cost)
            near_by = tuple(law for law in laws if law is not best and law.cost <= best.cost + 0.25)
            return ValueLaw(best.name, best.cost, best.of, near_by)
        return None

    def _two_plain(self, values: Values) -> ValueLaw | None:
        return self._several(values, self._table(PLAIN), 2)

    def _styled(self, values: Values) -> ValueLaw | None:
        """One monomial in some way of dividing."""
        best: ValueLaw | None = None
        for style in STYLES:
            if best is not None and best.cost <= LEAST + style.cost:
                break
            found = self._one(values, style)
            best = found if best is None or (found is not None and found.cost < best.cost) else best
        return best

    def _styled_two(self, values: Values) -> ValueLaw | None:
        best: ValueLaw | None = None
        for style in STYLES[1:]:
            if best is not None and best.cost <= 1.0 + LEAST + style.cost:
                break
            found = self._several(values, self._table(style), 2)
            best = found if best is None or (found is not None and found.cost < best.cost) else best
        return best

    def _three(self, values: Values) -> ValueLaw | None:
        return self._several(values, self._table(PLAIN), 3)

    def _several(self, values: Values, table: Monomials, terms: int) -> ValueLaw | None:
        """A sum of so many monomials, with more points than constants."""
        picked = values[table.picked]
        if len(picked) <= terms or (picked == 0).any() or (picked[table.kind] != values).any():
            return None
        most = MOST_PAIRS if terms == 2 else MOST_TRIPLES
        columns = table.table[:most] / picked  # rows weighted so that errors are relative
        columns = columns / np.linalg.norm(columns, axis=1)[:, None]
        laws = []
        for indices in _pairs(columns) if terms == 2 else _triples(columns):
            if (law := self._sum(picked, table, list(indices))) is not None:
                laws.append(law)
        return min(laws, key=lambda law: law.cost, default=None)

    def _sum(self, values: Values, table: Monomials, indices: list[int]) -> ValueLaw | None:
        matrix = (table.table[indices] / values).T
        scale = np.linalg.norm(matrix, axis=0)
        factors, _, rank, _ = np.linalg.lstsq(matrix / scale, np.ones(len(values)), rcond=1e-11)
        if rank < len(indices) or np.abs(matrix / scale @ factors - 1).max() > EXACT:
            return None
        factors = factors / scale
        if not all(_nice(float(a)) for a in factors):
            return None
        parts = [
            _product(_rounded(float(a)), table.product(int(table.first[i])))
            for a, i in zip(factors, indices, strict=True)
        ]
        name = " + ".join(part.name for part in parts)
        again = len(factors) - len(
            {round(abs(float(a)), 9) for a in factors}
        )  # a constant that is there twice is said once
        cost = 1.0 + sum(part.cost for part in parts) - again * max(_cost_of(float(a)) for a in factors)
        return ValueLaw(name, cost, lambda block: sum(part.of(block) for part in parts))

    def _cases(self, values: Values) -> ValueLaw | None:
        """One law where a condition holds and another where it does not."""
        best: ValueLaw | None = None
        for condition in self.conditions:
            holds = together(self.blocks, condition.of).astype(bool)
            if holds.all() or not holds.any() or not _splits(values, holds):
                continue
            sides = [self._side(values, chosen) for chosen in (holds, ~holds)]
            if sides[0] is None or sides[1] is None:
                continue
            found = _either(condition, sides[0], sides[1])
            if best is None or found.cost < best.cost:
                best = found
            if best.cost <= condition.cost + 1.0:
                break
        return best

    def _side(self, values: Values, chosen: Values) -> ValueLaw | None:
        if (values[chosen] == values[chosen][0]).all():
            return constant(float(values[chosen][0]))
        return None if not len(values) else self.within(chosen).fit(values[chosen], False)

    def within(self, chosen: Values) -> "Fitter":
        """The same for some of the points."""
        key = f"within {chosen.tobytes()!r}"
        if not hasattr(self, "_parts"):
            self._parts: dict[str, Fitter] = {}
        if key not in self._parts:
            blocks, at = [], 0
            for block in self.blocks:
                part = chosen[at : at + len(block.who)]
                at += len(block.who)
                if part.any():
                    blocks.append(block.part(part))
            self._parts[key] = Simple(blocks, self.grids, [])
        return self._parts[key]


class Simple(Fitter):
    """Without sums of more than two monomials, for parts of what a law is sought for."""

    def _fit(self, values: Values, cases: bool) -> ValueLaw | None:
        if (values == values[0]).all():
            return constant(float(values[0]))
        for attempt in (self._linear, self._styled, self._two_plain):
            if (found := attempt(values)) is not None:
                return found
        return None


def _splits(values: Values, holds: Values) -> bool:
    """Whether the sides differ at all: a condition that has nothing to do with the values is no reason."""
    return set(values[holds].tolist()) != set(values[~holds].tolist())


def _either(condition: Condition, yes: ValueLaw, no: ValueLaw) -> ValueLaw:
    def of(block: Block) -> Values:
        return np.where(condition.of(block), yes.of(block), no.of(block))

    name = f"{yes.name} at {condition.name}, else {no.name}"
    return ValueLaw(name, condition.cost + yes.cost + no.cost + 0.5, of)


def _ratio(values: Values, column: Values) -> float | None:
    where = np.abs(column).argmax()
    factor = _rounded(float(values[where] / column[where]))
    return factor if near(column * factor, values) else None


def _rounded(factor: float) -> float:
    """A fraction of small numbers where it is one but for rounding."""
    simple = Fraction(factor).limit_denominator(5040)
    return float(simple) if abs(float(simple) - factor) <= 1e-10 * abs(factor) else factor


def _nice(factor: float) -> bool:
    """A fraction with a denominator of twos and one three, as programs have them: sums with others are accidents."""
    return abs(round(192 * factor) - 192 * factor) <= 1e-7 * max(abs(192 * factor), 1)


def _product(factor: float, product: tuple[Factor, ...]) -> ValueLaw:
    name = " x ".join([f"{factor:g}", *(one.name for one in product)])
    return ValueLaw(
        name, _cost_of(factor) + cost_of(product), lambda block: factor * value_of(product, block)
    )


def _cost_of(factor: float) -> float:
    """Of a constant: a fifth for each bit of its fraction (Rissanen, Automatica 14, 1978: the shortest description)."""
    simple = Fraction(factor).limit_denominator(5040)
    if abs(float(simple) - factor) > 1e-9 * abs(factor):
        return 0.2 * 53
    bits = abs(simple.numerator).bit_length() + simple.denominator.bit_length()
    return 0.2 * bits + (0.0 if simple.denominator & (simple.denominator - 1) == 0 else ODD)


def _scaled(product: tuple[Factor, ...], values: Values, blocks: Sequence[Block]) -> ValueLaw | None:
    factor = _ratio(values, together(blocks, lambda block: value_of(product, block)))
    return None if factor is None else _product(factor, product)


def _pairs(columns: Values) -> list[tuple[int, int]]:
    """Pairs of columns whose sums may be one everywhere, the most promising first (residuals of all least squares at once)."""
    gram = columns @ columns.T
    right = columns.sum(axis=1)
    squares = np.maximum(1 - gram**2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = (
            right[:, None] ** 2 + right[None, :] ** 2 - 2 * gram * right[:, None] * right[None, :]
        ) / squares
    explained[squares < 1e-9] = -np.inf
    left = np.triu(columns.shape[1] - explained, 1)
    left[np.tril_indices(len(columns))] = np.inf
    i, j = np.nonzero(left < 1e-5)
    order = np.argsort(i + j, kind="stable")[:60]
    return [(int(a), int(b)) for a, b in zip(i[order], j[order], strict=True)]


def _triples(columns: Values) -> list[tuple[int, int, int]]:
    many = len(columns)
    every = np.array([(a, b, c) for a in range(many) for b in range(a + 1, many) for c in range(b + 1, many)])
    if not len(every):
        return []
    gram, right = columns @ columns.T, columns.sum(axis=1)
    matrices = gram[every[:, :, None], every[:, None, :]] + 1e-13 * np.eye(3)
    solved = np.linalg.solve(matrices, right[every][:, :, None])[:, :, 0]
    left = columns.shape[1] - (solved * right[every]).sum(axis=1)
    good = np.flatnonzero(left < 1e-5)
    return [tuple(int(x) for x in every[row]) for row in good[:60]]
