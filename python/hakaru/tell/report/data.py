"""What charts and tables draw from."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hakaru.tell.explain import Explanation


@dataclass(frozen=True)
class ReportData:
    """Plain records, machine tree and forecasts (docs/contracts.md), and their explanation."""

    records: list[dict]
    machine: dict | None
    forecasts: list[dict]
    explanation: Explanation
    campaign: dict = field(default_factory=dict)

    def tables(self, program: str) -> Iterator[dict]:
        """Tables of the successful records of one program, oldest first."""
        for record in sorted(self.records, key=lambda record: record["id"]):
            if record["program"] == program and record.get("status") == "ok":
                yield from record.get("tables", [])


def column(table: dict, name: str) -> int | None:
    """Index of the column of that name, or None."""
    found = [entry["name"] for entry in table["columns"]]
    return found.index(name) if name in found else None
