"""Records: one immutable JSON file for each execution."""

from hakaru.records.record import Record
from hakaru.records.store import RecordStore, new_id, write_json_atomically

__all__ = ["Record", "RecordStore", "new_id", "write_json_atomically"]
