"""A thin reader of one record."""

from dataclasses import dataclass, field
from typing import Any

from hakaru.base.statistics import median

SCHEMA = "hakaru/record/1"


def table_rows(record: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Rows of a record's table as {column: value}; empty when the record has no such table."""
    for table in record.get("tables", []):
        if table["name"] == name:
            columns = [column["name"] for column in table["columns"]]
            return [dict(zip(columns, row, strict=True)) for row in table["rows"]]
    return []


@dataclass(frozen=True)
class Record:
    """Wraps the dictionary of a record file (schema/record.schema.json)."""

    data: dict[str, Any] = field(repr=False)

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def program(self) -> str:
        return self.data["program"]

    @property
    def ok(self) -> bool:
        return self.data["status"] == "ok"

    @property
    def ranks(self) -> int:
        return self.data["layout"]["ranks"]

    @property
    def threads(self) -> int:
        return self.data["layout"]["threads"]

    @property
    def point(self) -> tuple:
        """What makes two launches comparable: program, command, parameters and layout."""
        return (
            self.program,
            self.data["command"],
            tuple(sorted(self.data["parameters"].items())),
            self.ranks,
            self.threads,
        )

    @property
    def wall_s(self) -> float | None:
        """Value of this launch: the median over its repetitions of the slowest rank's time, in seconds."""
        samples = [repetition["wall_s"] for repetition in self.data["repetitions"]]
        return median(samples) if samples else None

    def table(self, name: str) -> list[dict[str, Any]]:
        return table_rows(self.data, name)
