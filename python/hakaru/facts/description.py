"""What a program says of itself (schema/description.schema.json): parameters, presets, limits, phases, metrics, tables, work."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.facts.work import Parameters, Scalar, Work

Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_.+-]*$")]


class Parameter(Strict, omit_defaults=True):
    """One parameter; a number has a range, a choice its values."""

    name: Name
    type: Literal["integer", "real", "choice", "boolean", "text"]
    default: Scalar
    unit: Words
    help: Words
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


class Preset(Strict, omit_defaults=True):
    name: str
    help: Words
    values: Parameters
    repetitions: Annotated[int, Meta(ge=1)] | None = None


class Verified(Strict, omit_defaults=True):
    """What ``verify`` checks, and the parameters that it heeds; it refuses others."""

    parameters: tuple[Name, ...]
    what: Words


class Limits(Strict, omit_defaults=True):
    """Most ranks, and most threads of a rank; None: as many as one likes."""

    ranks: Annotated[int, Meta(ge=1)] | None
    threads: Annotated[int, Meta(ge=1)] | None

    def exceeded(self, ranks: int, threads: int) -> tuple[Literal["ranks", "threads"], int, int] | None:
        """(what, asked, most) of the first limit that a layout is over."""
        for what, asked, most in (("ranks", ranks, self.ranks), ("threads", threads, self.threads)):
            if most is not None and asked > most:
                return what, asked, most
        return None


class Usual(Strict, omit_defaults=True):
    """What a run does that is told no numbers: timed repetitions, and discarded ones before them."""

    repetitions: Annotated[int, Meta(ge=1)]
    warmup: Annotated[int, Meta(ge=0)]

    def count(self, repetitions: int | None, warmup: int | None) -> int:
        """Repetitions of both kinds; None: untold."""
        return (repetitions or self.repetitions) + (self.warmup if warmup is None else warmup)


class DescribedPhase(Strict, omit_defaults=True):
    name: Words
    kind: Literal["compute", "communicate", "io", "idle"]
    help: Words


class DescribedMetric(Strict, omit_defaults=True):
    name: str
    unit: Words
    better: Literal["higher", "lower"]
    help: Words


class DescribedColumn(Strict, omit_defaults=True):
    name: str
    unit: Words


class DescribedTable(Strict, omit_defaults=True):
    name: str
    help: Words
    columns: Annotated[tuple[DescribedColumn, ...], Meta(min_length=1)]


class Description(Strict, omit_defaults=True):
    """``evaluated`` holds for the parameters and the layout that were asked about."""

    schema: Literal["hakaru/description/1"]
    name: Name
    kind: Literal["app", "probe", "command"]
    title: Words
    needs_mpi: bool
    parameters: tuple[Parameter, ...]
    presets: tuple[Preset, ...]
    verify: Verified
    limits: Limits
    usual: Usual
    phases: Annotated[tuple[DescribedPhase, ...], Meta(min_length=1)]
    metrics: tuple[DescribedMetric, ...]
    tables: tuple[DescribedTable, ...]
    evaluated: Work

    @classmethod
    def parse(cls, text: str | bytes) -> "Description":
        """Of the text that ``PROGRAM describe`` printed. Raises ValueError for anything else."""
        return msgspec.json.decode(text, type=cls)
