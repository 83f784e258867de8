"""What charts and tables draw from."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hakaru.facts.forecasts import Forecast
from hakaru.facts.machines import Machine
from hakaru.facts.records.record import Record, Table
from hakaru.tell.explain import Explanation


@dataclass(frozen=True)
class ReportData:
    """Records, machine and forecasts, and their explanation."""

    records: list[Record]
    machine: Machine
    forecasts: list[Forecast]
    explanation: Explanation
    campaign: dict = field(default_factory=dict)

    def tables(self, program: str) -> Iterator[Table]:
        """Tables of the successful records of one program, oldest first."""
        for record in sorted(self.records, key=lambda record: record.id):
            if record.program == program and record.ok:
                yield from record.tables
