"""``hakaru records``: what has been run."""

from pathlib import Path

import typer

targets = ()


def register(app: typer.Typer) -> None:
    app.command("records")(records)


def records(
    record_id: str = typer.Argument(None, help="Show this record whole."),
    failed: bool = typer.Option(False, "--failed", help="Only failed ones, with their standard error."),
    program: str = typer.Option(None, "--program", help="Only this program."),
    results: Path = typer.Option(None, "--results", help="Results folder."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """List the records of the results folder; damaged files are named."""
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.facts.records import RecordStore

    store = RecordStore(results_folder(results))
    found = store.all(program=program, status="failed" if failed else None)
    if record_id:
        match = [record for record in found if record.id == record_id]
        if not match:
            raise UserError(
                f"there is no record {record_id}", f"in {store.records}", "list them with: hakaru records"
            )
        print_json(match[0].as_dict())
        return
    if as_json:
        print_json(
            {
                "records": [_row(record) for record in found],
                "damaged": [{"file": str(path), "reason": reason} for path, reason in store.damaged],
            }
        )
        return
    _print(found, failed)
    for path, reason in store.damaged:
        print(f"damaged and left out: {path} ({reason})")


def _row(record) -> dict:
    failure = record.failure
    return {
        "id": record.id,
        "program": record.program,
        "command": record.command,
        "status": record.status,
        "verdict": record.verdict,
        "ranks": record.ranks,
        "threads": record.threads,
        "wall_s": record.wall_s,
        "parameters": record.parameters,
        "failure": failure.reason if failure else None,
        "standard_error": failure.standard_error if failure else None,
    }


def _print(found: list, failed: bool) -> None:
    from hakaru.base.tables import print_table

    if not found:
        print("no records; make some with: hakaru run")
        return
    print_table(
        "Records",
        ["id", "command", "layout", "time", "verdict"],
        [
            [
                record.id,
                record.command,
                f"{record.ranks}x{record.threads}",
                f"{record.wall_s:.4g} s" if record.wall_s is not None else "",
                record.failure.reason if record.failure else record.verdict,
            ]
            for record in found
        ],
    )
    if failed:
        for record in found:
            print(f"\n{record.id}\n{record.failure.standard_error}")
