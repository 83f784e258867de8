"""Programs whose schedules are known on any number of ranks: each is extrapolated from a few and held against its own at many."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Schedule
from hakaru.foretell.extrapolate.compare import Comparison, compare
from hakaru.foretell.extrapolate.extrapolate import extrapolate
from hakaru.foretell.extrapolate.given import read
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay.engine import Engine

FROM, TO = (2, 4, 8, 16), 64


@dataclass(frozen=True)
class Example:
    """``words``: parameters of the program."""

    program: str
    words: str
    few: tuple[int, ...] = FROM
    many: int = TO

    def named(self, ranks: int) -> str:
        return ",".join([f"{sources.PREFIX}{self.program}", *self.words.split(), f"ranks={ranks}"])


@dataclass(frozen=True)
class Row:
    """``refused``: why there is nothing to compare."""

    case: Example
    comparison: Comparison | None
    refused: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def missed(self) -> tuple[bool, float]:
        """What orders rows: refused ones first, then by the time that differing operations carry."""
        if self.comparison is None:
            return (False, 0.0)
        return (True, -self.comparison.carried - (0.0 if self.comparison.same else 1e-9))


CASES = (
    Example("heat", "n=64 steps=3"),
    Example("heat", "n=64 steps=3 overlap=true"),
    Example("ep", "class=custom m=24"),
    Example("cg", "class=S iterations=1 communication=allgather"),
    Example("cg", "class=S iterations=1 communication=paper"),
    Example("ft", "class=custom nx=64 ny=64 nz=64 iterations=2 style=published"),
    Example("ft", "class=custom nx=64 ny=64 nz=64 iterations=2 style=direct"),
    Example("sp", "class=custom n=64 iterations=2 style=direct"),
    Example("tomcatv", "n=129 iterations=3 style=direct"),
    Example("tomcatv", "n=129 iterations=3 style=published"),
    Example("matmul", "n=128"),
    Example("scg", "n=128 iterations=3 acknowledgement=messages"),
    Example("scg", "n=64 iterations=2 decomposition=blocks acknowledgement=barriers"),
    Example(
        "himeno",
        "size=custom nx=130 ny=130 nz=130 iterations=3 decomposition=1d exchange=packed precision=single stores=ordinary",
    ),
    Example(
        "himeno",
        "size=custom nx=66 ny=66 nz=66 iterations=3 decomposition=2d exchange=packed precision=double stores=ordinary",
    ),
    Example(
        "himeno",
        "size=custom nx=66 ny=66 nz=66 iterations=3 decomposition=3d exchange=packed precision=double stores=ordinary",
    ),
    Example("turbulence", "n=128 steps=2 transposition=alltoall forcing=true"),
    Example("turbulence", "n=128 steps=2 transposition=put forcing=false"),
    Example("mpi_fft", "n1=64 n2=64 transposition=put"),
    Example("mpi_fft", "n1=64 n2=64 transposition=alltoall"),
    Example(
        "electrons", "nx=12 ny=12 nz=12 kx=8 ky=8 kz=8 symmetry=false steps=7 corrections=0 energy_interval=3"
    ),
    Example(
        "lattice_qcd",
        "nx=16 ny=16 nz=16 nt=16 task=operator iterations=3 precision=single preconditioning=none",
    ),
    Example("hartree_fock", "iterations=3 threshold=1 integrals=direct molecule=water"),
    Example("semiclassical", "n=3 trajectories=6400 steps=4 interval=2"),
    Example("multiblock_flow", "nx=65 ny=65 nz=65 scheme=muscl steps=2"),
)


def rows(tool: Engine, cases: tuple[Example, ...] = CASES) -> Iterator[Row]:
    """One a case, as each is done."""
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="hakaru-extrapolate-") as folder:
            yield row(case, Path(folder), tool)


def row(case: Example, folder: Path, tool: Engine) -> Row:
    given = read([case.named(ranks) for ranks in case.few], folder, tool)
    truth = folder / "truth"
    truth.mkdir()
    try:
        found = extrapolate(given, case.many, given[0].sizes)
    except UserError as error:
        return Row(case, None, str(error))
    name = ",".join([f"{sources.PREFIX}{case.program}", *case.words.split()])
    true = Schedule.read(sources.find(name, case.many, None, truth).path)
    return Row(case, compare(found.schedule, true), "", found.assumed)
