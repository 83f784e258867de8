"""Records for other programs: one format a file, found by scanning this folder.

A format has ``about`` (a line for people) and ``write(path, entries, system) -> list[Path]``: it writes whole files or none and says which.
``needs_time`` is true where only launches whose time is performance can be said. ``system``: a name for the machine, None: its host.
"""

import importlib
import pkgutil
from types import ModuleType


def formats() -> dict[str, str]:
    """Names of the formats; a name is that of its file."""
    entries = pkgutil.iter_modules(__path__)
    names = sorted(
        entry.name for entry in entries if not entry.name.startswith(("_", "test_", "command", "options"))
    )
    return {name: f"{__name__}.{name}" for name in names}


def named(name: str) -> ModuleType:
    return importlib.import_module(formats()[name])
