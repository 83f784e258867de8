"""Results of other programs as records: one format a file, found by scanning this folder.

A format has ``title``, ``recognises(data) -> bool`` and ``records(source) -> Imported``. Its records say where they come from in
``context.imported``: the program, the file with its SHA-256, and the version of the format.
"""

import importlib
import pkgutil
from types import ModuleType


def formats() -> dict[str, ModuleType]:
    """By name, which is that of the file."""
    entries = sorted(entry.name for entry in pkgutil.iter_modules(__path__))
    names = [
        name for name in entries if not name.startswith(("_", "test_")) and name not in ("bring", "source")
    ]
    return {name: importlib.import_module(f"{__name__}.{name}") for name in names}
