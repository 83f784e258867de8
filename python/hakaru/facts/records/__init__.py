"""Records: one immutable JSON file for each execution."""

from hakaru.facts.records.entry import Entry
from hakaru.facts.records.record import Cache, Record, Row, data_caches, rows_of
from hakaru.facts.records.store import RecordStore, new_id
from hakaru.facts.records.wanted import Wanted

__all__ = ["Cache", "Entry", "Record", "RecordStore", "Row", "Wanted", "data_caches", "new_id", "rows_of"]
