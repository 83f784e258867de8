"""``hakaru machines``: known machine files, checked; two of them compared; all of them ranked for a program."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    return [*built.REPLAY, *built.mentioned(words)] if "--rank" in words else None


def register(app: typer.Typer) -> None:
    app.command("machines")(machines)


def machines(
    names: list[str] = typer.Argument(
        None,
        help="Machines to show (one) or compare (two): a known name, a file, or 'here'; with --rank a program.",
    ),
    rank: bool = typer.Option(
        False, "--rank", help="Rank the known machines for a program: --rank turbulence n=256."
    ),
    nodes: int = typer.Option(1, "--nodes", min=1, help="With --rank: nodes of each machine."),
    ranks: int = typer.Option(
        None, "--ranks", min=1, help="With --rank: ranks (default: as many as the nodes' cores)."
    ),
    threads: int = typer.Option(1, "--threads", min=1, help="With --rank: threads of each rank."),
    results: Path = typer.Option(None, "--results", help="Results folder."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """List and validate the known machines, show one, compare two, or rank all for a program."""
    from hakaru.base.errors import VERIFICATION, UserError
    from hakaru.base.paths import results_folder
    from hakaru.facts.machines import known_machines
    from hakaru.facts.machines.files import resolve
    from hakaru.tell import machines as told

    folder = results_folder(results)
    if rank:
        _rank(folder, names or [], nodes, ranks, threads, as_json)
    elif not names:
        files = dict(known_machines())
        if (folder / "machine.toml").is_file():
            files["here"] = folder / "machine.toml"
        if not told.listing(files, as_json):
            raise typer.Exit(VERIFICATION)
    elif len(names) == 1:
        told.one_machine(resolve(names[0], folder), as_json)
    elif len(names) == 2:
        told.compared(resolve(names[0], folder), resolve(names[1], folder), as_json)
    else:
        raise UserError(
            f"{len(names)} machines cannot be compared",
            "a comparison is between two",
            "give one or two names",
        )


def _rank(folder: Path, words: list[str], nodes: int, ranks: int | None, threads: int, as_json: bool) -> None:
    from hakaru.base.errors import UserError
    from hakaru.facts import programs
    from hakaru.facts.machines import known_machines
    from hakaru.foretell.elsewhere.foretold import Asked
    from hakaru.foretell.elsewhere.ranking import rank
    from hakaru.tell import elsewhere

    if not words:
        raise UserError("no program is named", "machines are ranked for one", "write --rank turbulence n=256")
    asked = Asked(folder, words[0], programs.parse_assignments(words[1:]), ranks, threads, nodes)
    elsewhere.ranking(asked, rank(asked, known_machines()), as_json)
