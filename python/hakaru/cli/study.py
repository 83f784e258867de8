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
    if name is None:
        _list(as_json)
        return
    import sys

    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.studies import load
    from hakaru.studies.run import run_study
    from hakaru.studies.study_page import write_page

    folder = results_folder(results)
    asked = load(name)
    result = run_study(asked, folder, here, lambda text: print(text, file=sys.stderr, flush=True))
    path = page or folder / "studies" / f"{name}{'-here' if here else ''}.html"
    write_page(path, asked, result, f"hakaru study {name}{' --here' if here else ''}")
    if as_json:
        print_json(result.as_dict(name) | {"page": str(path)})
        return
    _show(asked.title, result)
    print(f"page: {path}")


def _list(as_json: bool) -> None:
    from hakaru.base.output import print_json
    from hakaru.base.tables import print_table
    from hakaru.studies import known_studies, load

    found = [load(name) for name in known_studies()]
    if as_json:
        print_json([{"name": one.name, "title": one.title, "publication": one.publication} for one in found])
        return
    print_table("Studies", ["name", "question"], [[one.name, one.question] for one in found])


def _show(title: str, result) -> None:
    from hakaru.base.tables import print_table

    for section in result.sections:
        if section.lines:
            right = range(1, len(section.columns))
            print_table(f"{title}: {section.title}", section.columns, section.lines, right=tuple(right))
            print()
    for line in result.summary:
        print(line)
