"""A study's own analysis: Python beside its ``study.toml``, read as a package, so that its files import each other by ``from . import``."""

import importlib
import importlib.util
import re
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from hakaru.base.errors import UserError
from hakaru.foretell.replay.engine import Engine
from hakaru.studies.entry import Entry

ANALYSIS = "analysis"


@dataclass(frozen=True)
class Context:
    """``schedule_of`` gives the schedule of an entry of a study's ``programs``; ``say`` tells progress."""

    engine: Engine
    schedule_of: Callable[[Entry], Path]
    say: Callable[[str], None] = lambda text: None
    results: Path = Path("hakaru-results")


def part(folder: Path, name: str = ANALYSIS) -> ModuleType:
    """A file of a study's folder as a module. ``analysis.py`` has ``Settings``, ``run(study, context) -> Result`` and, where it is meaningful,
    ``here(study, context) -> Result``. Raises UserError when it is missing or damaged."""
    folder = folder.resolve()
    path = folder / f"{name}.py"
    if not path.is_file():
        raise UserError(
            f"the study {folder.name} has no {name}.py",
            f"{folder} lacks it",
            "copy it from studies/_template",
        )
    try:
        return importlib.import_module(f"{_package(folder)}.{name}")
    except (SyntaxError, ImportError) as error:
        raise UserError(f"{path} is damaged", str(error), "mend it") from error


def _package(folder: Path) -> str:
    """The folder as a package. Copies of a folder are packages of their own."""
    name = f"hakaru_study_{re.sub(r'[^a-z0-9]', '_', folder.name)}_{zlib.crc32(str(folder).encode()):08x}"
    if name not in sys.modules:
        module = ModuleType(name, f"The study {folder.name}.")
        module.__path__ = [str(folder)]
        module.__spec__ = importlib.util.spec_from_loader(name, loader=None, is_package=True)
        sys.modules[name] = module
    return name
