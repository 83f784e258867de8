"""Programs from the description: what both languages share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from string import Template

from .description import AXES, COMPONENTS, Layout, Loop, Nest, cell_lines, face_lines, nests

FOLDER = Path(__file__).with_name("programs")
EXTENT = {"i": "ni", "j": "nj", "k": "nk", "n": "nc"}


class Writer(ABC):
    """Statements of a language for one layout. ``template``: the program around them, in ``programs/``."""

    template: str

    def __init__(self, layout: Layout, attribute: str = ""):
        self.layout, self.attribute = layout, attribute

    def program(self, kernel: int, points: int, blocks: int) -> str:
        """The whole program: a step in the order of loops of ``kernel``, ``blocks`` of ``points`` along each axis."""
        step = "\n".join(self.indented(self.lines(nests(kernel)), 2))
        names = {"q": self.ref("q", "n"), "f": self.ref("f", "n"), "dq": self.ref("dq", "n")}
        text = Template((FOLDER / self.template).read_text())
        return text.substitute(names, step=step, points=points, blocks=blocks, **self.parts())

    @abstractmethod
    def parts(self) -> dict[str, str]:
        """Types, variables and how they are allocated."""

    @abstractmethod
    def ref(self, array: str, component: int | str, axis: str = "", shift: int = 0) -> str:
        """Element of an array of block m at (i, j, k), ``shift`` along ``axis``; components count from 0, or are the variable n."""

    @abstractmethod
    def loop(self, loop: Loop) -> tuple[str, str]:
        """(how it opens, how it closes)"""

    @abstractmethod
    def let(self, name: str, expression: str) -> str:
        """A local real number."""

    @abstractmethod
    def put(self, target: str, expression: str) -> str:
        """An assignment."""

    def lines(self, found: Iterator[Nest] | tuple[Nest, ...]) -> list[str]:
        result = []
        for nest in found:
            frames = [self.loop(one) for one in nest.loops]
            inside = self.work(nest) if isinstance(nest.work, str) else self.lines(nest.work)
            for depth, (head, _) in enumerate(frames):
                result += self.indented([head], depth)
            result += self.indented(inside, len(frames))
            for depth, (_, tail) in reversed(list(enumerate(frames))):
                result += self.indented([tail], depth)
        return result

    def work(self, nest: Nest) -> list[str]:
        return getattr(self, nest.work)(nest.axis)

    def flux(self, axis: str) -> list[str]:
        told = cell_lines("l", lambda n: self.ref("q", n)) + cell_lines(
            "r", lambda n: self.ref("q", n, axis, 1)
        )
        told += face_lines(axis)
        stores = [self.put(self.ref("f", n), f"f{n}") for n in range(COMPONENTS)]
        return [self.let(name, text) for name, text in told] + stores

    def difference(self, axis: str) -> list[str]:
        """dq = dq + (f - f before)"""
        here, before, sum_ = self.ref("f", "n"), self.ref("f", "n", axis, -1), self.ref("dq", "n")
        return [self.put(sum_, f"{sum_} + ({here} - {before})")]

    def update(self, _: str) -> list[str]:
        value, sum_ = self.ref("q", "n"), self.ref("dq", "n")
        return [self.put(value, f"{value} - scale * {sum_}"), self.put(sum_, "zero")]

    @staticmethod
    def indented(lines: list[str], depth: int) -> list[str]:
        return ["  " * depth + line for line in lines]

    @staticmethod
    def index(variable: str, axis: str, shift: int) -> str:
        return f"{variable}{shift:+d}" if shift and variable == axis else variable


def names_of_reals() -> list[str]:
    """Of all that a flux computes, for languages that declare before."""
    found = [name for side in "lr" for name, _ in cell_lines(side, str)]
    return list(dict.fromkeys(found + [name for axis in AXES for name, _ in face_lines(axis)]))
