"""A study from its name to its result."""

from collections.abc import Callable
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.foretell.replay.engine import engine
from hakaru.studies.kinds import Context, kind_of
from hakaru.studies.replays import written_schedule
from hakaru.studies.result import Result
from hakaru.studies.study import Study


def run_study(study: Study, results: Path, here: bool, say: Callable[[str], None]) -> Result:
    """Replays that were made before are kept in the results folder. Raises UserError when the kind of study cannot run ``here``."""
    kept = results / "studies" / "replays"
    context = Context(
        engine(kept),
        lambda program: written_schedule(program, results / "studies" / study.name),
        say,
        results,
    )
    kind = kind_of(study)
    if not here:
        return kind.run(study, context)
    if not hasattr(kind, "here"):
        raise UserError(
            f"the study {study.name} does not run here", f"its kind is {study.kind}", "leave --here away"
        )
    return kind.here(study, context)
