"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.foretell.replay.documents import options
from hakaru.studies.kinds import Amount, Assumptions, Count, Counts, Links, Network


class Column(Strict):
    """A machine, and its column of the table of ratios."""

    machine: str
    column: str


class RunTimeSystem(Strict, omit_defaults=True):
    """Seconds of the processor for each call, at computation_factor 1."""

    transfer_s: Amount | None = None
    collective_s: Amount | None = None

    @property
    def calls(self) -> options.RunTimeSystem:
        return options.RunTimeSystem(transfer_s=self.transfer_s or 0.0, collective_s=self.collective_s or 0.0)


class Stated(Strict):
    """Parts of an application's time as the publication states them."""

    application: str
    overhead: Amount | None = None
    run_time_system: Amount | None = None


class Groups(Strict):
    application: str
    ranks: Counts


class Beyond(Strict):
    """What the publication left open: depths of the queue, a machine of today, barriers of groups."""

    queue_words: Annotated[tuple[Count, ...], Meta(min_length=2)]
    modern: str
    groups: Groups


class Settings(Strict):
    """``table`` of ratios to the machine ``base``, ``counts`` of communication; the rates are fitted to ``fitted``."""

    table: str
    counts: str
    base: str
    fitted: Column
    predicted: Column
    network: Network
    links: Links
    run_time_system: RunTimeSystem
    gain: Amount | None = None
    stated: tuple[Stated, ...] = ()
    beyond: Beyond | None = None
    assumptions: Assumptions = ()
