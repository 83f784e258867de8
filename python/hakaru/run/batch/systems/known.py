"""The batch systems there are: every file of this folder with a ``system``."""

import functools
import importlib
import pkgutil

from hakaru.base.errors import UserError
from hakaru.run.batch import systems
from hakaru.run.batch.systems.system import BatchSystem


@functools.cache
def known() -> dict[str, BatchSystem]:
    """Name -> batch system."""
    modules = [
        importlib.import_module(f"{systems.__name__}.{entry.name}")
        for entry in pkgutil.iter_modules(systems.__path__)
        if not entry.name.startswith(("test_", "stand_in"))
    ]
    found = [getattr(module, "system", None) for module in modules]
    return {one.name: one for one in found if isinstance(one, BatchSystem)}


def batch_system(name: str) -> BatchSystem:
    """The batch system of that name. Raises UserError naming the known ones."""
    if found := known().get(name):
        return found
    raise UserError(
        f"there is no batch system {name}",
        f"known are: {', '.join(sorted(known()))}",
        "name one of them in site.toml",
    )
