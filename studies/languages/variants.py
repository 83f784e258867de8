"""The programs compiled by what compilers there are, their results and files checked, and run in turns."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.own.bench.interleaving import interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.study import Study
from hakaru.studies.told import require_same, told

from . import description, files
from .description import Program
from .settings import Settings, Size

STANDARD = {"c": ("-std=gnu11",), "c++": ("-std=c++17",), "fortran": ()}
PHASES = ("compute", "write")


@dataclass(frozen=True)
class Variant:
    compiler: Compiler
    options: str
    program: Program

    @property
    def name(self) -> str:
        """As rows call it."""
        return f"{self.compiler.name}/{self.options}/{self.program.name}"


def variants(study: Study[Settings], size: Size) -> Iterator[Variant]:
    rows = {row["program"]: row for row in study.published.table("programs").rows}
    wanted = {number: rows[number] for number in size.programs or rows}
    for compiler in compilers.found("c", "c++", "fortran"):
        for options in size.sets:
            for program in description.programs(wanted):
                if program.language == compiler.language:
                    yield Variant(compiler, options, program)


def build(variant: Variant, flags: tuple[str, ...], order: int, folder: Path) -> Path:
    """Raises UserError."""
    language = variant.compiler.language
    text = description.source(variant.program, order)
    file = f"program.{description.SUFFIX[language]}"
    stem = f"program-{variant.program.number}"
    return compilers.program(variant.compiler, [*STANDARD[language], *flags], {file: text}, folder, stem)


@dataclass(frozen=True)
class Times:
    """CPU seconds by phase and variant, round by round; ``bytes`` of the file that each wrote."""

    seconds: Mapping[str, dict[Variant, list[float]]]
    bytes: dict[Variant, int] = field(default_factory=dict)

    def joined(self, other: "Times") -> "Times":
        return Times(
            {one: self.seconds[one] | other.seconds[one] for one in PHASES}, self.bytes | other.bytes
        )


def checked(built: Mapping[Variant, Path]) -> tuple[dict[Variant, Path], dict[Variant, UserError]]:
    """(programs that ran, those that failed, and why). All elements are whole numbers below 2^53, so that results have the same bits in any
    order of additions. Raises UserError when two have not."""
    bits, failed = {}, {}
    for variant, path in built.items():
        with tempfile.TemporaryDirectory(prefix="hakaru-study-") as place:
            try:
                bits[variant.name] = told(path, (Path(place) / "output",)).text("bits")
            except UserError as error:
                failed[variant] = error
    require_same(bits)
    return {one: path for one, path in built.items() if one not in failed}, failed


def timed(built: Mapping[Variant, Path], order: int, rounds: int, say: Callable[[str], None]) -> Times:
    """Programs take turns on one core; each writes to a temporary folder. Raises UserError."""
    writes: dict[Variant, list[float]] = {one: [] for one in built}
    sizes: dict[Variant, int] = {}
    names = {one.name: one for one in built}
    say(f"{len(built)} programs in {rounds} rounds")
    with tempfile.TemporaryDirectory(prefix="hakaru-study-") as place:
        output = Path(place) / "output"

        def sample(variant: Variant) -> float:
            found = told(built[variant], (output,))
            files.require_whole(variant.program, output, order)
            writes[variant].append(found.number("write"))
            sizes[variant] = output.stat().st_size
            output.unlink()
            return found.number("compute")

        runs = interleave(
            {name: (lambda one=one: sample(one)) for name, one in names.items()}, rounds, warmup=0
        )
    computes = {names[name]: values for name, values in runs.samples.items()}
    return Times({"compute": computes, "write": writes}, sizes)
