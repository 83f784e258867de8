"""The one description of the programs: which they are (table 1 of the publication), and how each language says their parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template

from hakaru.studies.published import Cells

FOLDER = Path(__file__).with_name("programs")
LANGUAGES = {"C": "c", "C++": "c++", "Fortran": "fortran"}
SUFFIX = {"c": "c", "c++": "cpp", "fortran": "f90"}
# Beyond the 24: what the published programs do in their output, or may do, that could explain a factor.
NEWLINE, LIST, STARS = "newline instead of endl", "list-directed", "f20.6 as printed"
MORE = {9: NEWLINE, 14: LIST, 13: STARS}


@dataclass(frozen=True)
class Program:
    """``number`` as published; ``instead``: what it does instead of the published output, beyond the 24."""

    number: int
    language: str
    two_d: bool
    dynamic: bool
    struct: bool
    formatted: bool = True
    instead: str = ""

    @property
    def name(self) -> str:
        return f"{self.number}{f', {self.instead}' if self.instead else ''}"

    @property
    def about(self) -> str:
        kind = {"c": "structure", "c++": "class", "fortran": "derived type"}[self.language]
        parts = [
            "two-dimensional" if self.two_d else "one-dimensional",
            "dynamic" if self.dynamic else "static",
            *([kind] if self.struct else []),
            *([] if self.formatted else ["unformatted"]),
            *([self.instead] if self.instead else []),
        ]
        return ", ".join(parts)


def programs(rows: Mapping[int, Cells]) -> Iterator[Program]:
    """Those of the publication's table, by number, and those beyond."""
    for number, row in rows.items():
        one = Program(
            number,
            LANGUAGES[row["language"]],
            row["two_d"],
            row["dynamic"],
            row["struct"],
            row.get("formatted", True),
        )
        yield one
        if number in MORE:
            yield replace(one, instead=MORE[number])


def source(program: Program, order: int) -> str:
    """The whole program for matrices of that order."""
    language = program.language
    parts = {"c": _c, "c++": _cpp, "fortran": _fortran}[language](program)
    text = Template((FOLDER / f"program.{SUFFIX[language]}.in").read_text())
    return text.substitute(parts, order=order)


def _element(program: Program, matrix: str, row: str, column: str) -> str:
    """C and C++: one-dimensional arrays go row by row."""
    data = f"{matrix}.matrix" if program.struct else matrix
    return f"{data}[{row}][{column}]" if program.two_d else f"{data}[{row} * N + {column}]"


def _elements(program: Program) -> dict[str, str]:
    element = _element if program.language != "fortran" else _fortran_element
    places = {"a_ij": "aij", "b_ij": "bij", "c_ij": "cij", "a_ik": "aik", "b_kj": "bkj"}
    return {name: element(program, *place) for name, place in places.items()}


def _c_shape(program: Program) -> str:
    if program.dynamic:
        return "double **$" if program.two_d else "double *$"
    return "double $[N][N]" if program.two_d else "double $[N * N]"


def _c(program: Program) -> dict[str, str]:
    shape = _c_shape(program)
    if program.struct:
        types = f"typedef struct {{ {shape.replace('$', 'matrix')}; }} Matrix;"
        variables = "static Matrix a, b, c;"
    else:
        types, variables = "", " ".join(f"static {shape.replace('$', one)};" for one in "abc")
    allocations = []
    for one in "abc" if program.dynamic else "":
        data = f"{one}.matrix" if program.struct else one
        if program.two_d:
            allocations.append(f"{data} = (double **)malloc(sizeof(double *) * N);")
            allocations.append(f"for (i = 0; i < N; i++) {data}[i] = (double *)malloc(sizeof(double) * N);")
        else:
            allocations.append(f"{data} = (double *)malloc(sizeof(double) * N * N);")
    told = {"types": types, "variables": variables, "allocations": "\n  ".join(allocations)}
    return told | _elements(program)


def _cpp(program: Program) -> dict[str, str]:
    making = []
    if program.dynamic and program.two_d:
        making = ["matrix = new double*[N];", "for (int i = 0; i < N; i++) matrix[i] = new double[N];"]
    elif program.dynamic:
        making = ["matrix = new double[N * N];"]
    own = {
        "member": _c_shape(program).replace("$", "matrix"),
        "making": " ".join(making),
        "end_line": '"\\n"' if program.instead == NEWLINE else "endl",
    }
    elements = _elements(program)
    return own | elements | {"own_ij": elements["c_ij"].removeprefix("c.")}


def _fortran_element(program: Program, matrix: str, row: str, column: str) -> str:
    """One-dimensional arrays go column by column, as Fortran's own do."""
    data = f"{matrix}%matrix" if program.struct else matrix
    return f"{data}({row}, {column})" if program.two_d else f"{data}(({column} - 1) * n + {row})"


def _fortran(program: Program) -> dict[str, str]:
    rank = ":,:" if program.two_d else ":"
    size = "n, n" if program.two_d else "n * n"
    shape = f"real(dp), allocatable :: $({rank})" if program.dynamic else f"real(dp) :: $({size})"
    if program.struct:
        types = f"type data_type\n    {shape.replace('$', 'matrix')}\n  end type"
        variables = "type(data_type), save :: a, b, c"
    else:
        types, variables = "", "\n  ".join(shape.replace("$", one) for one in "abc")
        variables = variables.replace(" ::", ", save ::")
    data = "{}%matrix" if program.struct else "{}"
    allocations = [f"allocate({data.format(one)}({size}))" for one in "abc"] if program.dynamic else []
    told = {"types": types, "variables": variables, "allocations": "\n  ".join(allocations)}
    return told | _elements(program) | _fortran_output(program)


def _fortran_output(program: Program) -> dict[str, str]:
    if program.instead == LIST:
        return {"form": "formatted", "head": "(17, *)", "item": "(17, *)"}
    if not program.formatted:
        return {"form": "unformatted", "head": "(17)", "item": "(17)"}
    item = "(17, '(i4,6x,f20.6)')" if program.instead == STARS else "(17, '(i4,6x,f24.6)')"
    return {"form": "formatted", "head": "(17, '(i4)')", "item": item}
