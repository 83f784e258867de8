"""Comma-separated values (RFC 4180): a row for each launch and each of its phases."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from hakaru.base.files import write_atomically
from hakaru.facts.records import Entry
from hakaru.tell.exports._rows import COLUMNS, rows

about = "comma-separated values, a row for each launch and phase"
needs_time = False


def write(path: Path, entries: Sequence[Entry], system: str | None) -> list[Path]:
    """Raises UserError when it cannot be written."""

    def fill(file) -> None:
        text = io.TextIOWrapper(
            file, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
        )
        table = csv.DictWriter(text, COLUMNS)
        table.writeheader()
        table.writerows(rows(entries))
        text.detach()

    write_atomically(path, fill)
    return [path]
