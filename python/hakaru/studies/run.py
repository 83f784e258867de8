"""A study from its name to its result."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay.engine import engine
from hakaru.studies.analyses import Context, part
from hakaru.studies.evidence import headline, problems
from hakaru.studies.replays import written_schedule
from hakaru.studies.result import Result
from hakaru.studies.study import Study


def run_study(study: Study, results: Path, here: bool, say: Callable[[str], None]) -> Result:
    """Replays that were made before are kept in the results folder. Raises UserError when the study cannot run ``here``."""
    kept = results / "studies" / "replays"
    context = Context(
        engine(kept),
        lambda entry: written_schedule(entry, results / "studies" / study.name),
        say,
        results,
    )
    analysis = part(study.folder)
    if not here:
        return checked(study, analysis.run(study, context))
    if not hasattr(analysis, "here"):
        raise UserError(
            f"the study {study.name} does not run here", "its analysis cannot", "leave --here away"
        )
    return analysis.here(study, context)


def checked(study: Study, result: Result) -> Result:
    """With the first lines of its summary. Raises UserError when the rows contradict what the study declares of them."""
    result.summary = [*headline(result.rows, study.basis), *result.summary]
    if found := [*problems(result.rows, result.summary, study.basis), *undeclared(study)]:
        raise UserError(
            f"the study {study.name} contradicts what it declares",
            "; ".join(found[:3]),
            f"mend its study.toml, or what makes its rows ({len(found)} in all)",
        )
    return result


def undeclared(study: Study) -> list[str]:
    """Facts of the machines that the study names whose source says that they were fitted, and which are no parameters of it."""
    known, names = known_machines(), set(study.basis.names)
    machines = sorted(name for name in set(_words(msgspec.to_builtins(study.settings))) if name in known)
    return [
        f"the fitted fact {path} of {name} is no parameter"
        for name in machines
        for path, fact in Machine.load(known[name]).walk()
        if fact.source.startswith("fit") and path not in names
    ]


def _words(settings: Any) -> Iterator[str]:
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, dict | list):
        for one in settings.values() if isinstance(settings, dict) else settings:
            yield from _words(one)
