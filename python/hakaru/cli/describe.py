"""``hakaru describe``: what a program says of itself."""

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    return built.mentioned(words[:1]) or None


def register(app: typer.Typer) -> None:
    app.command("describe")(describe)


def describe(
    program: str = typer.Argument(help="An app, a probe, or a program that was measured."),
    parameters: list[str] = typer.Argument(None, help="Its parameters as name=value, such as n=256."),
    ranks: int = typer.Option(1, min=1, help="MPI ranks."),
    threads: int = typer.Option(1, min=1, help="Threads of each rank."),
    results: str = typer.Option(None, help="Results folder (default HAKARU_RESULTS or ./hakaru-results)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON (schema/description.schema.json)."),
) -> None:
    """Parameters with ranges and units, phases, layouts, and what these parameters cost."""
    from hakaru.base.output import print_json
    from hakaru.facts import programs
    from hakaru.tell.programs import show

    found = programs.named(program)
    described = found.describe(programs.parse_assignments(parameters or []), ranks, threads)
    if as_json:
        print_json(described.as_dict())
    else:
        show(found, described)
