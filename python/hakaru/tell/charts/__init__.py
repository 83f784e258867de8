"""One chart a file, found by scanning this folder.

A chart has ``title``, ``order`` (its place), ``explanation`` (how to read it, one sentence), ``missing``
(what would produce its data) and ``draw(data) -> str | None``: inline SVG, or None without data. It may have
``section``, and ``program`` where it speaks of a single one.
"""

import importlib
import pkgutil
from types import ModuleType

_NEEDED = ("title", "order", "section", "explanation", "missing", "draw")


def charts() -> list[ModuleType]:
    """All charts by ``order``, then name."""
    found = []
    for entry in pkgutil.iter_modules(__path__):
        if entry.name.startswith(("_", "test_")) or entry.name == "conftest":
            continue
        module = importlib.import_module(f"{__name__}.{entry.name}")
        lacking = [name for name in _NEEDED if not hasattr(module, name)]
        if lacking:
            raise AttributeError(f"chart {entry.name} lacks {', '.join(lacking)}")
        found.append(module)
    return sorted(found, key=lambda module: (module.order, module.__name__))
