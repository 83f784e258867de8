"""The four kernels and the six cases, once for both languages: what they are, their shapes, and what tells their forms apart."""

import math
from dataclasses import dataclass

from .places import FIRST, MEMORY, SECOND
from .settings import Settings

WHOLE, BITS, BEFORE, AFTER = "whole", "bits", "before", "after"
NEAR = "near"  # the size of a case whose data lie in the first cache
COMMIT, ARITHMETIC, CACHE, MAIN = PARTS = ("commit", "floating-point wait", "cache wait", "memory wait")


@dataclass(frozen=True)
class Shape:
    """Element i of an array lies at ``stride`` (i mod ``rows`` + ``leading`` (i div ``rows``)). ``listed``: the list is a random permutation, else 0, 1, ..."""

    rows: int
    columns: int
    leading: int
    stride: int = 1
    listed: bool = False

    @property
    def elements(self) -> int:
        return self.rows * self.columns

    @property
    def words(self) -> tuple[int, ...]:
        """Arguments of the driver."""
        return self.rows, self.columns, self.leading, self.stride, int(self.listed)


@dataclass(frozen=True)
class Kernel:
    """``shows`` the part of its cycles that the publication made it for, as published.toml calls it; ``arrays`` that it touches, in ``place``;
    ``arithmetic``: whether it has any."""

    name: str
    shows: str
    part: str
    arrays: int
    place: str
    arithmetic: bool = True

    @property
    def places(self) -> tuple[str, ...]:
        """Where it is run: from the first cache to its own place."""
        order = (FIRST, SECOND, MEMORY)
        return order[: order.index(self.place) + 1]

    def shape(self, bytes_: int) -> Shape:
        """Of arrays that take so many bytes together."""
        numbers = max(16, bytes_ // (8 * self.arrays))
        if self.name == "matrix-product":
            extent = max(4, math.isqrt(numbers) // 4 * 4)
            return Shape(extent, extent, extent)
        if self.name == "addition":
            return Shape(ROWS, max(1, numbers // ROWS), ROWS)
        return Shape(numbers, 1, numbers)

    def work(self, shape: Shape) -> int:
        """Executions of the innermost statement in a call."""
        return shape.elements * (shape.columns if self.name == "matrix-product" else 1)


ROWS = 128  # of a column of "addition"
KERNELS = (
    Kernel("matrix-product", "instructions committed", COMMIT, 3, FIRST),
    Kernel("copy", "memory access wait", MAIN, 2, MEMORY, arithmetic=False),
    Kernel("division", "floating-point wait", ARITHMETIC, 3, FIRST),
    Kernel("addition", "cache access wait", CACHE, 2, SECOND),
)


@dataclass(frozen=True)
class Form:
    """``macros``: what the compiler is told beside the shape; ``c_only``: Fortran has no words for it."""

    name: str
    macros: tuple[str, ...] = ()
    c_only: bool = False


@dataclass(frozen=True)
class Case:
    """``number`` in the publication; ``threads``: whether its loop is divided among some."""

    number: int
    name: str
    forms: tuple[Form, ...]
    listed: bool = False
    threads: bool = False

    def shape(self, form: Form, extent: int, settings: Settings) -> Shape:
        """``extent`` as settings.Size says."""
        if self.name == "padding":
            pad = settings.pad if form.name == AFTER else 0
            return Shape(PADDED_ROWS, PADDED_COLUMNS, extent + pad)
        if self.listed:
            merged = self.name == "merging" and form.name == AFTER
            return Shape(extent, 1, extent, 3 if merged else 1, True)
        return Shape(extent, extent, extent + (1 if self.threads else 0))

    def near(self, form: Form, settings: Settings) -> Shape | None:
        """Whose data lie in the first cache, without conflicts; None where the case is no matter of data."""
        if self.threads:
            return None
        if self.name == "padding":
            return Shape(PADDED_ROWS, PADDED_COLUMNS, PADDED_ROWS)
        if self.name == "fusion":
            return Shape(64, 16, 64)
        if self.listed:
            return self.shape(form, 512, settings)
        return Shape(settings.tile, settings.tile, settings.tile)


PADDED_ROWS, PADDED_COLUMNS = 8, 64  # a line of each of more columns than any cache has ways


def cases(settings: Settings) -> tuple[Case, ...]:
    tuned = ("-DAFTER",)
    before, after = Form(BEFORE), Form(AFTER, tuned)
    tile, ahead = f"-DTILE={settings.tile}", f"-DAHEAD={settings.ahead}"
    block, cyclic, lines = (f"-DSCHEDULE={one}" for one in ("static", "static,1", "static,16"))
    return (
        Case(1, "padding", (before, after)),
        Case(2, "prefetch", (before, Form(AFTER, (*tuned, ahead), c_only=True)), listed=True),
        Case(3, "fusion", (before, after)),
        Case(
            4,
            "triangle",
            (Form(BEFORE, (block,)), Form(AFTER, (cyclic,)), Form("16 columns at a time", (lines,))),
            threads=True,
        ),
        Case(5, "merging", (before, after), listed=True),
        Case(6, "tiling", (before, Form(AFTER, (*tuned, tile)))),
    )
