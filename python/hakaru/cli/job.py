"""``hakaru job``: what a job of a batch system runs; people submit it with ``hakaru campaign FILE --submit``."""

from pathlib import Path

import typer

targets = ()


def register(app: typer.Typer) -> None:
    app.command("job", hidden=True)(job)


def job(
    folder: Path = typer.Argument(..., help="Folder of the submission."),
    task: int = typer.Option(0, envvar="HAKARU_TASK", help="Number of the task."),
    id: str = typer.Option("", envvar="HAKARU_JOB", help="What the batch system calls the job."),
) -> None:
    """Run one task of a submitted campaign."""
    from hakaru.run.batch.work import work

    raise typer.Exit(work(folder, task, id))
