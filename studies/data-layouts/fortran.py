"""Programs in Fortran: derived types whose components are static, pointers or allocatable."""

from .description import Loop
from .writer import EXTENT, Writer, names_of_reals

ARRAYS = ("q", "f", "dq")


class Fortran(Writer):
    """``attribute`` of what has run-time size: pointer or allocatable; after a comma, what only arrays of numbers get."""

    template = "layout.f90.in"

    def parts(self) -> dict[str, str]:
        dynamic = self.layout.arrays
        kind = "integer" if dynamic else "integer, parameter"
        extents = ", ".join(one if dynamic else f"{one} = points" for one in ("ni", "nj", "nk"))
        reals = [self.let_declaration(part) for part in _chunks(names_of_reals(), 10)]
        return {
            "extents": f"{kind} :: {extents}",
            "set_extents": "ni = told; nj = told; nk = told" if dynamic else "if (told /= points) stop 2",
            "types": "\n".join(self.indented(self.types(), 1)),
            "variables": "\n".join(self.indented(self.variables(), 1)),
            "allocations": "\n".join(self.indented(self.allocations(), 2)),
            "reals": "\n".join(self.indented(reals, 2)),
        }

    @staticmethod
    def let_declaration(names: list[str]) -> str:
        return f"real(dp) :: {', '.join(names)}"

    @property
    def whole(self) -> str:
        """The attribute of an array of types, which are not contiguous by promise."""
        return self.attribute.partition(",")[0]

    def types(self) -> list[str]:
        if not self.layout.types:
            return []
        if not self.layout.cells:
            shape = f"{self.attribute}, dimension(:,:,:,:)" if self.layout.arrays else self.dimension()
            numbers = [f"  real(dp), {shape} :: {', '.join(ARRAYS)}"]
            return ["type block_type", *numbers, "end type"]
        own = f"{self.attribute}, dimension(:)" if self.layout.components else "dimension(nc)"
        cell = ["type cell_type", f"  real(dp), {own} :: {', '.join(ARRAYS)}", "end type"]
        block = [
            "type block_type",
            f"  type(cell_type), {self.whole}, dimension(:,:,:) :: cell",
            "end type",
        ]
        return cell + block

    def dimension(self) -> str:
        return f"dimension({', '.join(EXTENT[one] for one in self.layout.order)})"

    def variables(self) -> list[str]:
        if not self.layout.types:
            return [f"real(dp) :: {name}(ni, nj, nk, nc, blocks)" for name in ARRAYS]
        if self.layout.blocks:
            return [f"type(block_type), {self.whole} :: blk(:)"]
        return ["type(block_type) :: blk(blocks)"]

    def allocations(self) -> list[str]:
        """Blocks, their arrays, and cell by cell their components."""
        if not self.layout.blocks:
            return []
        lines = ["allocate(blk(blocks))"]
        if not self.layout.arrays:
            return lines
        if not self.layout.cells:
            shape = ", ".join(EXTENT[one] for one in self.layout.order)
            each = ", ".join(f"blk(m)%{name}({shape})" for name in ARRAYS)
            return [*lines, "do m = 1, blocks", f"  allocate({each})", "end do"]
        lines += ["do m = 1, blocks", "  allocate(blk(m)%cell(ni, nj, nk))"]
        if self.layout.components:
            each = ", ".join(f"blk(m)%cell(i, j, k)%{name}(nc)" for name in ARRAYS)
            lines += ["  do k = 1, nk; do j = 1, nj; do i = 1, ni", f"    allocate({each})"]
            lines += ["  end do; end do; end do"]
        return [*lines, "end do"]

    def ref(self, array: str, component: int | str, axis: str = "", shift: int = 0) -> str:
        n = component if isinstance(component, str) else str(component + 1)
        at = {one: self.index(one, axis, shift) for one in "ijk"} | {"n": n}
        if not self.layout.types:
            return f"{array}({at['i']},{at['j']},{at['k']},{n},m)"
        if self.layout.cells:
            return f"blk(m)%cell({at['i']},{at['j']},{at['k']})%{array}({n})"
        return f"blk(m)%{array}({','.join(at[one] for one in self.layout.order)})"

    def loop(self, loop: Loop) -> tuple[str, str]:
        last = EXTENT[loop.variable] + (f" - {loop.last}" if loop.last else "")
        return f"do {loop.variable} = {loop.first + 1}, {last}", "end do"

    def let(self, name: str, expression: str) -> str:
        return f"{name} = {expression}"

    def put(self, target: str, expression: str) -> str:
        return f"{target} = {expression}"


def _chunks(names: list[str], size: int) -> list[list[str]]:
    return [names[first : first + size] for first in range(0, len(names), size)]
