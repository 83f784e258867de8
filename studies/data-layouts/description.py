"""The one description of all programs: layouts, orders of loops, and the arithmetic, in words that Fortran and C++ share.

First-order Euler step, dq = sum of flux differences along i, j and k, q = q - s dq, with fluxes by SHUS (Shima and Jounouchi 1994).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMPONENTS = 5
AXES = "ijk"
GAMMA = 1.4
SCALE = 0.0625  # dt / dx: a power of two, so that products with it are exact


@dataclass(frozen=True)
class Layout:
    """``order``: indices of an array of a block, fastest first. ``cells``: a block is an array of cells, each with its five components.
    ``blocks``, ``arrays``, ``components``: whether they are of run-time size. ``types``: whether there are derived types at all."""

    name: str
    order: str = "ijkn"
    blocks: bool = True
    arrays: bool = True
    components: bool = False
    cells: bool = False
    types: bool = True

    @property
    def dynamic(self) -> bool:
        return self.blocks or self.arrays


LAYOUTS = {
    one.name: one
    for one in (
        Layout("A"),
        Layout("B", order="nijk"),
        Layout("C", arrays=False),
        Layout("D", blocks=False, arrays=False),
        Layout("E", components=True, cells=True),
        Layout("F", cells=True),
        Layout("G", blocks=False, arrays=False, types=False),
    )
}
KERNELS = (0, 1, 2, 3)


def cell_lines(side: str, component: Callable[[int], str]) -> list[tuple[str, str]]:
    """(name, expression) of what a cell gives to its fluxes; names end with ``side``; ``component`` writes the n-th of q."""
    lines = [
        ("r?", component(0)),
        ("t?", "one / r?"),
        ("u?", f"{component(1)} * t?"),
        ("v?", f"{component(2)} * t?"),
        ("w?", f"{component(3)} * t?"),
        ("e?", component(4)),
        ("p?", "gm1 * (e? - half * r? * (u? * u? + v? * v? + w? * w?))"),
        ("h?", "(e? + p?) * t?"),
        ("c?", "sqrt(gam * p? * t?)"),
    ]
    return [(name.replace("?", side), text.replace("?", side)) for name, text in lines]


def face_lines(axis: str) -> list[tuple[str, str]]:
    """(name, expression) from the cells l and r at a face across ``axis`` to the flux's components f0 to f4.

    mdot = {(rho Vn)_l + (rho Vn)_r - |Vn| Drho - (|M+1| - |M-1|) / 2 rho DVn - (|M+1| + |M-1| - 2 |M|) / 2 Dp / c} / 2,
    means of l and r where no side is said, M = Vn / c; pressures weighted by b = (2 -+ M)(M +- 1)^2 / 4 of each side's M within [-1, 1].
    """
    normal = "uvw"[AXES.index(axis)]
    lines = [
        ("rm", "half * (rl + rr)"),
        ("vm", f"half * ({normal}l + {normal}r)"),
        ("tc", "two / (cl + cr)"),
        ("mv", "vm * tc"),
        ("ma", "abs(mv + one)"),
        ("mb", "abs(mv - one)"),
        ("jv", f"half * (ma - mb) * rm * ({normal}r - {normal}l)"),
        ("jp", "half * (ma + mb - two * abs(mv)) * (pr - pl) * tc"),
        ("md", f"half * (rl * {normal}l + rr * {normal}r - abs(vm) * (rr - rl) - jv - jp)"),
        ("ml", f"max(-one, min(one, {normal}l * tc))"),
        ("mr", f"max(-one, min(one, {normal}r * tc))"),
        ("bl", "quarter * (two - ml) * (ml + one) * (ml + one)"),
        ("br", "quarter * (two + mr) * (mr - one) * (mr - one)"),
        ("pt", "bl * pl + br * pr"),
        ("mp", "half * (md + abs(md))"),
        ("mm", "half * (md - abs(md))"),
        ("f0", "mp + mm"),
    ]
    for number, name in enumerate("uvw", 1):
        pressure = " + pt" if name == normal else ""
        lines.append((f"f{number}", f"mp * {name}l + mm * {name}r{pressure}"))
    return [*lines, ("f4", "mp * hl + mm * hr")]


def operations(lines: list[tuple[str, str]]) -> int:
    """Additions, multiplications, divisions, roots, absolute values, minima and maxima, as written."""
    text = " ".join(expression for _, expression in lines)
    return len(re.findall(r" [-+*/] |sqrt|abs|min|max", text))


def flops_of_a_point() -> int:
    """Of the best form: each cell once, three faces, six differences and the update of five components."""
    cell = operations(cell_lines("l", "q{}".format))
    faces = sum(operations(face_lines(axis)) for axis in AXES)
    return cell + faces + COMPONENTS * (3 + 2 + 2)


@dataclass(frozen=True)
class Loop:
    """``variable`` from ``first`` (0 is the first index) to ``last`` before its extent."""

    variable: str
    first: int
    last: int


@dataclass(frozen=True)
class Nest:
    """Loops from the outermost, and what the innermost does: ``flux``, ``difference`` or ``update``; or nests."""

    loops: tuple[Loop, ...]
    work: "str | tuple[Nest, ...]"
    axis: str = ""


def _loops(order: str, axis: str, first: int, last: int) -> tuple[Loop, ...]:
    return tuple(Loop(one, first if one == axis else 0, last if one == axis else 0) for one in order)


def _with_components(loops: tuple[Loop, ...], innermost: bool) -> tuple[Loop, ...]:
    components = (Loop("n", 0, 0),)
    return loops + components if innermost else components + loops


def nests(kernel: int) -> Iterator[Nest]:
    """A step of a block in the published order of loops. Kernels 0 and 1 keep one order, 2 and 3 follow the sweep; 1 and 3 have the loop over
    components innermost."""
    inner = kernel in (1, 3)
    for axis in AXES:
        if kernel < 2:
            yield Nest(_loops("kji", axis, 0, 1), "flux", axis)
            yield Nest(_with_components(_loops("kji", axis, 1, 1), inner), "difference", axis)
            continue
        outer, line = tuple(one for one in ("kj", "ki", "ji")[AXES.index(axis)]), (axis,)
        along = [
            Nest(_loops(line, axis, 0, 1), "flux", axis),
            Nest(_with_components(_loops(line, axis, 1, 1), inner), "difference", axis),
        ]
        yield Nest(_loops("".join(outer), axis, 0, 0), tuple(along), axis)
    yield Nest(_with_components(_loops("kji", "", 0, 0), inner), "update")
