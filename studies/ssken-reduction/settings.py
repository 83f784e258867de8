"""[analysis] of study.toml."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.studies.kinds import Assumptions


class Label(Strict):
    """A value of the record's column, what it is called, and its name in published.toml where it is there."""

    value: str | int | float
    name: str
    published: str | None = None


class Labels(Strict):
    column: str
    labels: Annotated[tuple[Label, ...], Meta(min_length=1)]


class Where(Strict):
    """The table of published.toml, and the column whose values are rows' names."""

    table: str
    key: str


class Compared(Strict):
    """A grid: rows and columns choose values of two columns of the record's ``table``; shown is a statistic of ``value`` (over ``per``,
    where given). ``at_least``: the published number is a bound from below."""

    title: Words
    table: str
    value: str
    unit: str
    statistic: Literal["minimum", "median", "maximum"]
    rows: Labels
    columns: Labels
    words: str = ""
    per: str | None = None
    at_least: bool = False
    published: Where | None = None


class Settings(Strict):
    compared: Annotated[tuple[Compared, ...], Meta(min_length=1)]
    assumptions: Assumptions = ()
