"""Kinds of studies: a file each, with ``run(study, context) -> Result`` and, where it is meaningful, ``here(study, context) -> Result``."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hakaru.base.errors import UserError
from hakaru.foretell.replay.engine import Engine
from hakaru.studies.study import Study


@dataclass(frozen=True)
class Context:
    """``schedule_of`` gives the schedule of an entry of a study's ``programs``; ``say`` tells progress."""

    engine: Engine
    schedule_of: Callable[[dict[str, Any]], Path]
    say: Callable[[str], None] = lambda text: None
    results: Path = Path("hakaru-results")


def kinds() -> list[str]:
    return sorted(entry.name for entry in pkgutil.iter_modules(__path__) if not entry.name.startswith("_"))


def kind_of(study: Study) -> ModuleType:
    """The module of a study's kind. Raises UserError when there is none."""
    if study.kind not in kinds():
        raise UserError(
            f"there is no kind of study '{study.kind}'", f"known are: {', '.join(kinds())}", "mend study.toml"
        )
    return importlib.import_module(f"{__name__}.{study.kind}")
