"""What a program says of itself (schema/description.schema.json): parameters, presets, limits, phases, metrics, tables, work."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hakaru.facts.work import Scalar, Work

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
Words = Annotated[str, Meta(min_length=1)]


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A part of a description: no field more, none less."""


class Parameter(Strict):
    """One parameter; a number has a range, a choice its values."""

    name: Name
    type: Literal["integer", "real", "choice", "boolean", "text"]
    default: Scalar
    unit: Words
    help: Words
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


class Preset(Strict):
    name: str
    help: Words
    values: dict[str, Any]
    repetitions: Annotated[int, Meta(ge=1)] | None = None


class Verified(Strict):
    """What ``verify`` checks, and the parameters that it heeds; it refuses others."""

    parameters: tuple[Name, ...]
    what: Words


class Limits(Strict):
    """Most ranks, and most threads of a rank; None: as many as one likes."""

    ranks: Annotated[int, Meta(ge=1)] | None
    threads: Annotated[int, Meta(ge=1)] | None


class DescribedPhase(Strict):
    name: Words
    kind: Literal["compute", "communicate", "io", "idle"]
    help: Words


class DescribedMetric(Strict):
    name: str
    unit: Words
    better: Literal["higher", "lower"]
    help: Words


class DescribedColumn(Strict):
    name: str
    unit: Words


class DescribedTable(Strict):
    name: str
    help: Words
    columns: Annotated[tuple[DescribedColumn, ...], Meta(min_length=1)]


class Description(Strict):
    """``evaluated`` holds for the parameters and the layout that were asked about."""

    schema: Literal["hakaru/description/1"]
    name: Name
    kind: Literal["app", "probe"]
    title: Words
    needs_mpi: bool
    parameters: tuple[Parameter, ...]
    presets: tuple[Preset, ...]
    verify: Verified
    limits: Limits
    phases: Annotated[tuple[DescribedPhase, ...], Meta(min_length=1)]
    metrics: tuple[DescribedMetric, ...]
    tables: tuple[DescribedTable, ...]
    evaluated: Work

    @classmethod
    def parse(cls, text: str | bytes) -> "Description":
        """Of the text that ``PROGRAM describe`` printed. Raises ValueError for anything else."""
        return msgspec.json.decode(text, type=cls)
