"""The facts that a study copied from its publication: ``published.toml`` (schema/published.schema.json)."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hakaru.base.errors import UserError
from hakaru.facts.strict import Strict
from hakaru.facts.values import Words

Cells = dict[str, Any]  # {column: number, text or list of them}


class Table(Strict, omit_defaults=True):
    """``unit``: of the columns that have one."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9-]+$")]
    title: Words
    source: Words
    rows: Annotated[tuple[Cells, ...], Meta(min_length=1)]
    unit: dict[str, str] = {}
    notes: tuple[str, ...] = ()

    def row(self, key: str, value: str) -> Cells:
        """The row whose ``key`` is ``value``. Raises UserError when there is none."""
        for row in self.rows:
            if row.get(key) == value:
                return row
        raise UserError(f"table '{self.id}' of published.toml has no {key} '{value}'", "", "mend study.toml")


class Published(Strict):
    title: Words
    source: Words
    tables: Annotated[tuple[Table, ...], Meta(min_length=1)] = msgspec.field(name="table")

    def table(self, name: str) -> Table:
        """Raises UserError when there is none."""
        for table in self.tables:
            if table.id == name:
                return table
        raise UserError(
            f"published.toml has no table '{name}'",
            f"it has {', '.join(table.id for table in self.tables)}",
            "mend study.toml",
        )

    def row(self, table: str, key: str, value: str) -> Cells:
        """The row of a table whose ``key`` is ``value``. Raises UserError when there is none."""
        return self.table(table).row(key, value)

    def number(self, table: str, key: str, value: str, column: str) -> float:
        """Raises UserError where there is no number."""
        found = self.row(table, key, value).get(column)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise UserError(
                f"table '{table}' of published.toml has no number '{column}' for {value}",
                f"it says {found!r}" if found is not None else "the column is missing there",
                "mend published.toml",
            )
        return float(found)
