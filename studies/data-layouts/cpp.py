"""The same programs in C++: arrays that own memory of run-time size, or members of fixed size."""

from .description import AXES, COMPONENTS, Loop, cell_lines, face_lines
from .writer import EXTENT, Writer

ARRAYS = ("q", "f", "dq")


class Cpp(Writer):
    template = "layout.cpp.in"

    def parts(self) -> dict[str, str]:
        dynamic = self.layout.arrays
        kind = "int" if dynamic else "constexpr int"
        extents = ", ".join(one if dynamic else f"{one} = points" for one in ("ni", "nj", "nk"))
        return {
            "extents": f"{kind} {extents};",
            "set_extents": "ni = nj = nk = told;" if dynamic else "if (told != points) std::exit(2);",
            "types": "\n".join(self.types()),
            "variables": "\n".join(self.variables()),
            "allocations": "\n".join(self.indented(self.allocations(), 1)),
        }

    def types(self) -> list[str]:
        if not self.layout.types:
            return []
        if not self.layout.cells:
            if self.layout.arrays:
                kind = "ComponentsFirst" if self.layout.order[0] == "n" else "ComponentsLast"
                return [f"struct Block {{ {kind} q, f, dq; }};"]
            shape = "".join(f"[{EXTENT[one]}]" for one in reversed(self.layout.order))
            return [f"struct Block {{ double q{shape}, f{shape}, dq{shape}; }};"]
        own = (
            "std::unique_ptr<double[]> q, f, dq;"
            if self.layout.components
            else "double q[nc], f[nc], dq[nc];"
        )
        return [f"struct Cell {{ {own} }};", "struct Block { Cells<Cell> cell; };"]

    def variables(self) -> list[str]:
        if not self.layout.types:
            return [f"double {name}[blocks][nc][nk][nj][ni];" for name in ARRAYS]
        return ["std::unique_ptr<Block[]> blk;" if self.layout.blocks else "Block blk[blocks];"]

    def allocations(self) -> list[str]:
        if not self.layout.blocks:
            return []
        lines = ["blk.reset(new Block[blocks]);"]
        if not self.layout.arrays:
            return lines
        if not self.layout.cells:
            each = " ".join(f"blk[m].{name}.allocate(nc, ni, nj, nk);" for name in ARRAYS)
            return [*lines, f"for (int m = 0; m < blocks; ++m) {{ {each} }}"]
        lines.append("for (int m = 0; m < blocks; ++m) blk[m].cell.allocate(ni, nj, nk);")
        if self.layout.components:
            each = " ".join(f"blk[m].cell(i, j, k).{name}.reset(new double[nc]);" for name in ARRAYS)
            heads = ["m < blocks", "k < nk", "j < nj", "i < ni"]
            loops = " ".join(f"for (int {one[0]} = 0; {one}; ++{one[0]})" for one in heads)
            lines.append(f"{loops} {{ {each} }}")
        return lines

    def ref(self, array: str, component: int | str, axis: str = "", shift: int = 0) -> str:
        i, j, k = (self.index(one, axis, shift) for one in AXES)
        if self.layout.cells:
            return f"blk[m].cell({i}, {j}, {k}).{array}[{component}]"
        if self.layout.arrays:
            return f"blk[m].{array}({component}, {i}, {j}, {k})"
        if self.layout.types:
            return f"blk[m].{array}[{component}][{k}][{j}][{i}]"
        return f"{array}[m][{component}][{k}][{j}][{i}]"

    def loop(self, loop: Loop) -> tuple[str, str]:
        one, last = loop.variable, EXTENT[loop.variable] + (f" - {loop.last}" if loop.last else "")
        return f"for (int {one} = {loop.first}; {one} < {last}; ++{one}) {{", "}"

    def let(self, name: str, expression: str) -> str:
        return f"const double {name} = {expression};"

    def put(self, target: str, expression: str) -> str:
        return f"{target} = {expression};"


def arithmetic() -> str:
    """The same arithmetic as functions of any number type, for the form in explicit vectors."""
    cells = "\n".join(f"  const Real {name} = {text};" for name, text in cell_lines("l", "q[{}]".format))
    kept = "ruvwphc"
    given = ", ".join(f"{one}l" for one in kept)
    members = ", ".join(kept)
    text = [
        "#pragma once",
        f"template <class Real> struct Cell {{ Real {members}; }};",
        "template <class Real> inline __attribute__((always_inline)) Cell<Real> cell(const Real* q) {",
        f"{cells}\n  return {{{given}}};\n}}",
    ]
    for axis in AXES:
        text.append(
            f"template <class Real> inline __attribute__((always_inline)) void face_{axis}"
            "(const Cell<Real>& l, const Cell<Real>& r, Real* f) {"
        )
        text += [f"  const Real {one}{side} = {side}.{one};" for side in "lr" for one in kept]
        text += [f"  const Real {name} = {expression};" for name, expression in face_lines(axis)]
        text += [f"  f[{n}] = f{n};" for n in range(COMPONENTS)]
        text.append("}")
    return "\n".join(text) + "\n"
