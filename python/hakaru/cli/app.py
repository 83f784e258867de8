"""``hakaru app``: run one of hakaru's own programs, or one that was measured, without knowing where it lies."""

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    return built.mentioned(words) or None


def register(app: typer.Typer) -> None:
    app.command("app")(run)


def run(
    program: str = typer.Argument(help="The program, such as electrons."),
    parameters: list[str] = typer.Argument(
        None, help="Its parameters as name=value, such as input=silicon.toml."
    ),
    ranks: int = typer.Option(1, min=1, help="MPI ranks."),
    threads: int = typer.Option(1, min=1, help="Threads of each rank."),
    preset: str = typer.Option(None, help="A preset of the program, such as small."),
    repetitions: int = typer.Option(None, min=1, help="Timed repetitions."),
    warmup: int = typer.Option(None, min=0, help="Discarded repetitions before them."),
    verify: bool = typer.Option(False, "--verify", help="Verify the program instead of running it."),
    cold: bool = typer.Option(False, "--cold", help="Empty the caches before every phase."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Print the launch line; start nothing."),
) -> None:
    """Run a program once, in your terminal; ends with the program's own exit status."""
    from hakaru.run.once import Once, start

    once = Once(
        program, tuple(parameters or ()), ranks, threads, preset, repetitions, warmup, verify, dry_run, cold
    )
    raise typer.Exit(start(once))
