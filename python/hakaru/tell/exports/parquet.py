"""Apache Parquet: the rows of csv with types. Needs pyarrow, which hakaru does not install by itself (it takes some 150 MB)."""

from collections.abc import Sequence
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_atomically
from hakaru.facts.records import Entry
from hakaru.tell.exports._rows import COLUMNS, rows

about = "Apache Parquet, the rows of csv with types; needs the package pyarrow"
needs_time = False
KINDS = {"ranks": "int64", "threads": "int64", "oversubscribed": "bool", "time_s": "float64"}


def write(path: Path, entries: Sequence[Entry], system: str | None) -> list[Path]:
    """Raises UserError when it cannot be written, or where pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UserError(
            "Parquet cannot be written",
            "the Python package pyarrow is not installed",
            "install it with: .venv/bin/pip install pyarrow (installed copies: pip install 'hakaru[parquet]'), or write csv",
            ENVIRONMENT,
        ) from None
    kinds = [(name, pyarrow.type_for_alias(KINDS.get(name, "string"))) for name in COLUMNS]
    table = pyarrow.Table.from_pylist(list(rows(entries)), schema=pyarrow.schema(kinds))
    write_atomically(path, lambda file: parquet.write_table(table, file))
    return [path]
