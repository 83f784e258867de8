"""[analysis] of study.toml."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.studies.entry import Entry
from hakaru.studies.kinds import Amount, Assumptions, Count


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


class Loop(Strict):
    """A program that computes for so long and then sums one number; ``sizes``: ranks and iterations."""

    compute_s: Amount
    sizes: Annotated[tuple[tuple[Count, Count], ...], Meta(min_length=1)]


class Beyond(Strict):
    """What the publication left open: what each way to reduce is worth to programs. A rank of ``threads`` threads sits on each node of
    ``machine``; ``adapter``: whose times of an allreduce of ``adapter_bytes`` are those of adapters, and of
    ``host_bytes`` those of hosts. ``least_detours``: with fewer in a replay its time is left out."""

    machine: str
    adapter: str
    adapter_bytes: Count
    host_bytes: Count
    threads: Count
    operand_bits: Count
    exact_bytes: Count
    switch_s: Amount
    switch_sweep_s: Annotated[tuple[Amount, ...], Meta(min_length=2)]
    noise_share: Amount
    noise_sweep: Annotated[tuple[Amount, ...], Meta(min_length=2)]
    detours_s: Annotated[tuple[Amount, ...], Meta(min_length=1)]
    least_detours: Count
    loop: Loop
    programs: tuple[Entry, ...] = ()
    assumptions: Assumptions = ()


class Settings(Strict):
    compared: Annotated[tuple[Compared, ...], Meta(min_length=1)]
    assumptions: Assumptions = ()
    beyond: Beyond | None = None
