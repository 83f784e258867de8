"""``hakaru collect``: what came home from a kit."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    """Tools that read traces, where there are some to be read."""
    folders = [Path(word) for word in words if not word.startswith("-")]
    traced = any((folder / place).is_dir() for folder in folders for place in ("traces", "results/traces"))
    return list(built.TRACES) if traced and "--raw" not in words else None


def register(app: typer.Typer) -> None:
    app.command("collect")(collect)


def collect(
    folder: Path = typer.Argument(..., metavar="FOLDER", help="Results of a kit, as they came home."),
    name: str = typer.Option(
        None, "--name", help="Name of the machine (default: the first host that was probed)."
    ),
    output: Path = typer.Option(
        None, "--output", "-o", help="The machine file (default machine.toml of the results, or NAME.toml)."
    ),
    raw: bool = typer.Option(
        False,
        "--raw",
        help="Only copy the raw files of traces (where the tools that read them are not built).",
    ),
    results: Path = typer.Option(None, "--results", help="Results folder."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Take in records, machine file and traces that a kit made, as if they had been made here; FOLDER stays as it is. Ends with 4 when something
    did not come home whole: that is named, and everything else is kept."""
    from hakaru.base.paths import results_folder
    from hakaru.tell.collected import Asked, collected

    raise typer.Exit(collected(Asked(folder, results_folder(results), name, output, raw, as_json)))
