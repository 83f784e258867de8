"""What people ask of a forecast: one run, the largest that ends in time, or the fewest ranks that do."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hakaru.base import quantities, topology
from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.forecasts import Forecast
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.work import Scalar, Work
from hakaru.foretell.forecast import inverse
from hakaru.foretell.forecast.make import make


def evaluate(program: str, parameters: Mapping[str, Scalar], ranks: int, threads: int) -> Work:
    """What the built program says of these parameters on this layout."""
    return programs.named(program).work(dict(parameters), ranks, threads)


@dataclass(frozen=True)
class Question:
    """``ranks`` None: as many as ``nodes`` hold, or one. ``within``: a time as people write it."""

    folder: Path
    program: str
    given: Mapping[str, Scalar]
    ranks: int | None = None
    threads: int = 1
    nodes: int | None = None
    growth: str | None = None
    within: str | None = None

    @cached_property
    def records(self) -> list[Record]:
        """Of the wanted layout only those on the wanted nodes, where there are any: a network is no shared memory."""
        found = RecordStore(self.folder).all(program=self.program)

        def placed(one: Record) -> bool:
            return one.ran and (one.ranks, one.threads) == (self.all_ranks, self.threads)

        if not self.nodes or not any(placed(one) and one.nodes == self.nodes for one in found):
            return found
        return [one for one in found if not placed(one) or one.nodes == self.nodes]

    @cached_property
    def cold(self) -> list[Record]:
        """Of runs whose caches were emptied before every phase."""
        return RecordStore(self.folder).cold.all(program=self.program)

    @cached_property
    def machine(self) -> Machine | None:
        """The one that the newest record was made on, where it was probed into the same folder."""
        return Machine.probed_into(self.folder, self.records[-1].place) if self.records else None

    @property
    def _notes(self) -> tuple[str, ...]:
        """What the folder holds that is not used."""
        path = self.folder / "machine.toml"
        if self.machine or not self.records or not path.is_file():
            return ()
        host, name = self.records[-1].place, Machine.load(path).name
        return (f"the machine file is of '{name}', the runs are of '{host}': its facts are left out",)

    @cached_property
    def found(self) -> programs.Program:
        return programs.named(self.program)

    @property
    def all_ranks(self) -> int:
        if self.ranks is not None:
            return self.ranks
        return self.nodes * ranks_of_node(self.threads) if self.nodes else 1

    @property
    def within_s(self) -> float:
        return seconds_of("--within", self.within)

    @cached_property
    def wanted(self) -> Work:
        return self.work_of(self.given)

    def work_of(self, parameters: Mapping[str, Scalar]) -> Work:
        """Of other parameters on the same layout."""
        return self.found.work(dict(parameters), self.all_ranks, self.threads)

    def forecast(self, given: Mapping[str, Scalar] | None = None, ranks: int | None = None) -> Forecast:
        """Not written. Raises UserError as ``make`` does."""
        ranks = ranks or self.all_ranks
        given = dict(self.given if given is None else given)
        wanted = self.found.work(given, ranks, self.threads)
        return make(
            self.records,
            self.program,
            wanted,
            lambda other: self.found.work(dict(other), ranks, self.threads),
            self.growth,
            self.machine,
            self._notes,
            self.cold,
        )

    def turned_round(self) -> inverse.Found:
        """The largest size where one size is not given, else the fewest ranks."""
        free = [name for name in sizes(self.found) if name not in self.given]
        if len(free) > 1:
            raise UserError(
                f"{self.program} has the sizes {', '.join(free)}",
                "only one can be made as large as the time allows",
                f"give the others, such as {free[0]}=VALUE",
            )
        described = self.found.describe(dict(self.given), self.all_ranks, self.threads)
        if free:
            return inverse.largest(
                described, free[0], self.given, self.all_ranks, self.within_s, self.forecast
            )
        return inverse.fewest(self._numbers_of_ranks(), self.given, self.within_s, self.forecast)

    def _numbers_of_ranks(self) -> list[int]:
        """Those that were measured, and powers of two up to what the nodes hold."""
        most = (self.nodes or 1) * ranks_of_node(self.threads)
        measured = {record.ranks for record in self.records if record.threads == self.threads}
        powers = {2**power for power in range(most.bit_length()) if 2**power <= most}
        return sorted(one for one in measured | powers | {most} if one <= max(most, max(measured, default=1)))


def seconds_of(option: str, text: str) -> float:
    """A time as people write it. Raises UserError for none."""
    try:
        seconds = quantities.parse(text, "s")
    except ValueError as error:
        raise UserError(f"{option} {text} is not understood", str(error), "write 30min, 24h or 90s") from None
    if seconds <= 0.0:
        raise UserError(f"{option} {text} is not understood", "it is no time to run in", "write 30min or 24h")
    return seconds


def ranks_of_node(threads: int) -> int:
    """As many as fill the cores of a node like this one."""
    return max(topology.usable_cores() // threads, 1)


def sizes(program: programs.Program) -> list[str]:
    """Parameters that set the size: what a program file says, or what changes the size that a leaf describes."""
    if program.brings_launcher:
        return program.file.with_role("size")
    described = program.describe()
    usual = described.evaluated
    return [
        one.name
        for one in described.parameters
        if one.type == "integer" and _sets_size(program, one, usual.size)
    ]


def _sets_size(program: programs.Program, one, usual: float | None) -> bool:
    doubled = min(2 * int(one.default), int(one.maximum)) if one.maximum is not None else 2 * int(one.default)
    if doubled == one.default:
        return False
    try:
        return program.work({one.name: doubled}).size != usual
    except UserError:
        return False
