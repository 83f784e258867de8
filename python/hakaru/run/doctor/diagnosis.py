"""Finds the checks by scanning their folder and runs them; a check that fails is itself a finding."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import asdict, dataclass

from hakaru.run.doctor import checks
from hakaru.run.doctor.finding import Finding, unavailable
from hakaru.run.doctor.system import System

ORDER = ("warning", "not available here", "ok")


@dataclass(frozen=True)
class Diagnosis:
    """One check's name, its title for people, and what it found."""

    check: str
    title: str
    finding: Finding

    def as_dict(self) -> dict:
        return {"check": self.check, "title": self.title, **asdict(self.finding)}


def find_checks() -> dict[str, tuple[str, Callable[[System], Finding]]]:
    """Name -> (title, function) of every module in ``checks/`` but the tests."""
    found = {}
    for module in pkgutil.iter_modules(checks.__path__):
        if not module.name.startswith("test_") and module.name != "conftest":
            loaded = importlib.import_module(f"{checks.__name__}.{module.name}")
            found[module.name] = (loaded.title, loaded.check)
    return found


def diagnose(system: System | None = None) -> list[Diagnosis]:
    """Runs every check; what spoils measurements comes first."""
    system = system or System()
    results = []
    for name, (title, check) in find_checks().items():
        try:
            finding = check(system)
        except (OSError, ValueError, KeyError, IndexError) as error:
            finding = unavailable(f"the check could not read this machine: {type(error).__name__}: {error}")
        results.append(Diagnosis(name, title, finding))
    return sorted(results, key=lambda result: ORDER.index(result.finding.status))
