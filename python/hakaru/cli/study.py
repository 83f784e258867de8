"""``hakaru study``: published experiments, run again and held beside what was published."""

from pathlib import Path
from typing import Annotated

import typer

from hakaru.base.paths import root
from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    """The engine, and what the study's programs are; nothing for the list of studies."""
    names = built.arguments(words, ("--results", "--page"))
    if not names:
        return None
    files = [root() / "studies" / name / "study.toml" for name in names]
    return [*built.REPLAY, *(name for file in files for name in built.programs_of(file))]


def register(app: typer.Typer) -> None:
    app.command("study")(study)


def study(
    name: Annotated[str | None, typer.Argument(help="The study; none lists them.")] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Run its programs on this machine instead of replaying them.")
    ] = False,
    results: Annotated[Path | None, typer.Option("--results", help="Results folder.")] = None,
    page: Annotated[Path | None, typer.Option("--page", help="Where the page goes.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a published experiment again: rows of published numbers beside ours, and a page with pictures."""
    import sys

    from hakaru.base.paths import results_folder
    from hakaru.studies import answers, known_studies, load

    if name is None:
        answers.listing([load(one) for one in known_studies()], as_json)
        return
    from hakaru.studies.run import run_study
    from hakaru.studies.study_page import write_page

    folder = results_folder(results)
    asked = load(name)
    result = run_study(asked, folder, here, lambda text: print(text, file=sys.stderr, flush=True))
    path = page or folder / "studies" / f"{name}{'-here' if here else ''}.html"
    write_page(path, asked, result, f"hakaru study {name}{' --here' if here else ''}")
    answers.answer(asked, result, path, as_json)
