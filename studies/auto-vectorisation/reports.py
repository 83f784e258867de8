"""How compilers are told not to vectorise, asked what they did, and what their answers mean."""

import re
from dataclasses import dataclass

from hakaru.studies.compilers import Compiler


@dataclass(frozen=True)
class Dialect:
    """``ask``: options that make it report; ``without``: those that keep it from vectors, by language. ``vector``: a line of the report that says a
    loop became one of vectors, its group their bytes or their elements; ``parallel``: that one became parallel."""

    ask: tuple[str, ...]
    without: dict[str, tuple[str, ...]]
    vector: str
    element_bytes: int = 1
    parallel: str = ""


DOUBLE = 8
DIALECTS = {
    "GNU": Dialect(
        ("-fopt-info-optimized",),
        dict.fromkeys(("c", "fortran"), ("-fno-tree-vectorize", "-fno-tree-slp-vectorize")),
        r"loop\.\w+:\d+:\d+: optimized: loop vectorized using (\d+) byte",
        parallel=r"loop\.\w+:\d+:\d+: optimized: parallelizing (?:inner|outer) loop",
    ),
    "LLVM": Dialect(
        ("-Rpass=loop-vectorize",),
        {
            "c": ("-fno-vectorize", "-fno-slp-vectorize"),
            "fortran": ("-mllvm", "-vectorize-loops=false", "-mllvm", "-vectorize-slp=false"),
        },
        r"loop\.\w+:\d+:\d+: remark: vectorized loop \(vectorization width: (\d+)",
        DOUBLE,
    ),
}


def dialect(compiler: Compiler) -> Dialect | None:
    """None for a compiler whose reports nobody has read yet."""
    return DIALECTS.get(compiler.family.split()[0])


@dataclass(frozen=True)
class Claim:
    """What a compiler says of a loop: ``bytes`` of its widest vectors, 0 without; ``parallel``."""

    bytes: int = 0
    parallel: bool = False


def claim(spoken: Dialect, report: str) -> Claim:
    widths = [int(found) * spoken.element_bytes for found in re.findall(spoken.vector, report)]
    parallel = bool(spoken.parallel and re.search(spoken.parallel, report))
    return Claim(max(widths, default=0), parallel)
