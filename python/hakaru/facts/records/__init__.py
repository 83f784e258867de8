"""Records: one immutable JSON file for each execution."""

from hakaru.facts.records.record import Record, table_rows
from hakaru.facts.records.store import RecordStore, new_id

__all__ = ["Record", "RecordStore", "new_id", "table_rows"]
