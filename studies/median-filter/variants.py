"""The published filter in two languages, compiled by what compilers there are, held to a sort, and run in turns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.own.bench.interleaving import interleave
from hakaru.studies import compilers
from hakaru.studies.compilers import OBJECT, Compiler
from hakaru.studies.told import Told, require_same, told

from .settings import Size

SOURCES = Path(__file__).with_name("programs")
FORMS = {"inline": (), "procedure": ("-DFUNCTION",)}
VALUES = {"integer": (), "real": ("-DREAL_VALUES",)}
PRINTED, MENDED = "as printed", "mended"
ORDERS = {PRINTED: (), MENDED: ("-DSORTED",)}
KINDS = ("base", "transparent", "large")  # of pages, as the programs count them
LANGUAGES = ("c", "fortran")
WORDS = {"c": (), "fortran": ("-cpp", "-ffree-line-length-none")}


@dataclass(frozen=True)
class Variant:
    """A program (``compiler``, ``form``, ``values``, ``order``) and how it is run."""

    compiler: Compiler
    form: str
    values: str
    order: str = PRINTED
    threads: int = 1
    pages: str = "base"

    @property
    def program(self) -> "Variant":
        return replace(self, threads=1, pages="base")

    @property
    def name(self) -> str:
        """As rows call it."""
        order = "" if self.order == PRINTED else f", {self.order}"
        return f"{self.compiler.name}/{self.form}/{self.values}{order}/{self.threads}/{self.pages}"


def variants(size: Size) -> Iterator[Variant]:
    """Of each program on each number of threads; one of each language with other pages, and sorting."""
    for compiler in compilers.found(*LANGUAGES):
        for form in FORMS:
            for values in VALUES:
                for threads in size.threads:
                    yield Variant(compiler, form, values, PRINTED, threads)
        for kind in size.pages:
            yield Variant(compiler, "inline", "integer", pages=kind)
        yield from (Variant(compiler, "inline", values, MENDED) for values in VALUES)


def text(name: str) -> str:
    return (SOURCES / name).read_text()


def build(variant: Variant, size: Size, mask: int, flags: tuple[str, ...], folder: Path) -> Path:
    """Raises UserError."""
    macros = [f"-DIMAGE={size.image}", f"-DMASK={mask}", *VALUES[variant.values]]
    own = [*flags, "-fopenmp", *macros, *FORMS[variant.form], *ORDERS[variant.order]]
    language = variant.compiler.language
    shared = {name: text(name) for name in ("common.c", "common.h")}
    stem = f"filter-{language}-{variant.form}-{variant.values}"
    if language == "c":
        return compilers.program(
            variant.compiler, own, {"filter.c": text("filter.c"), **shared}, folder, stem
        )
    c = compilers.found("c")[0]
    common = compilers.program(c, ["-O2", *macros, OBJECT], shared, folder, "common")
    sources = {"filter.F90": text("filter.F90").replace('#include "loops.inc"\n', text("loops.inc"))}
    return compilers.program(variant.compiler, [*own, *WORDS[language]], sources, folder, stem, (common,))


def started(variant: Variant, path: Path) -> Told:
    """One loop. Raises UserError where the kernel has no pages of the kind."""
    return told(path, (1, KINDS.index(variant.pages), variant.threads))


def checked(
    built: Mapping[Variant, Path],
) -> tuple[dict[Variant, Told], dict[Variant, UserError]]:
    """(what those that ran said, why the others did not). Raises UserError when programs of one order have other results, or what is to sort does
    not give the medians of sorted windows."""
    said: dict[Variant, Told] = {}
    failed: dict[Variant, UserError] = {}
    for variant, path in built.items():
        try:
            said[variant] = started(variant, path)
        except UserError as error:
            failed[variant] = error
    for values in VALUES:
        for order in ORDERS:
            own = {one.name: said[one] for one in said if (one.values, one.order) == (values, order)}
            require_same({name: one.text("bits") for name, one in own.items()})
            if order == MENDED:
                require_same(
                    {"the sorted window": "0"} | {name: one.text("different") for name, one in own.items()}
                )
    return said, failed


Seconds = Mapping[Variant, list[float]]


def timed(built: Mapping[Variant, Path], rounds: int, say: Callable[[str], None]) -> Seconds:
    """Wall time of the loop, round by round; programs take turns."""
    names = {variant.name: variant for variant in built}
    say(f"{len(built)} runs in {rounds} rounds")
    runs = interleave(
        {
            name: (lambda variant=variant: started(variant, built[variant]).number("seconds"))
            for name, variant in names.items()
        },
        rounds,
        warmup=0,
    )
    return {names[name]: values for name, values in runs.samples.items()}


def segment_seconds(size: Size, kind: str, folder: Path) -> list[float]:
    """Seconds to write ``size.segment_mib`` of fresh memory once. Raises UserError where the kernel has no such pages."""
    path = compilers.program(compilers.found("c")[0], ["-O2"], {"touch.c": text("touch.c")}, folder, "touch")
    return told(path, (size.segment_mib, KINDS.index(kind), 2 * size.rounds + 1)).numbers("seconds")
