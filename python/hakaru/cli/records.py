"""``hakaru records``: what has been run."""

from pathlib import Path

import typer

targets = ()


def register(app: typer.Typer) -> None:
    app.command("records")(records)


LISTED = 50


def records(
    record_id: str = typer.Argument(None, help="Show this record whole."),
    failed: bool = typer.Option(False, "--failed", help="Only failed ones, with their standard error."),
    program: str = typer.Option(None, "--program", help="Only this program."),
    last: int = typer.Option(
        LISTED, "--last", min=0, help="List the newest so many; 0: all. JSON has all anyway."
    ),
    results: Path = typer.Option(None, "--results", help="Results folder."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """List the records of the results folder; damaged files are named."""
    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.facts.records import RecordStore, Wanted
    from hakaru.facts.records.listing import begin

    store = RecordStore(results_folder(results))
    begin(store.folder)
    if not as_json:
        from hakaru.base import tables  # noqa: F401 - loaded while the folder is listed
    few = last or None if not as_json and not record_id else None
    found = store.entries(Wanted(program, "failed" if failed else None, newest=few))
    if record_id:
        print_json(_whole(store, found, record_id).as_dict())
        return
    if as_json:
        print_json(
            {
                "records": [_row(entry) for entry in found],
                "damaged": [{"file": str(path), "reason": reason} for path, reason in store.damaged],
            }
        )
        return
    _print(found, failed)
    if store.total > len(found):
        print(f"the newest {len(found)} of {store.total}; all with: hakaru records --last 0")
    for path, reason in store.damaged:
        print(f"damaged and left out: {path} ({reason})")


def _whole(store, found: list, record_id: str):
    from hakaru.base.errors import UserError
    from hakaru.facts.records import Record

    if not any(entry.id == record_id for entry in found):
        raise UserError(
            f"there is no record {record_id}", f"in {store.records}", "list them with: hakaru records"
        )
    path = store.path(record_id)
    if path.is_file():
        return Record.read(path)
    return next(record for record in store.all() if record.id == record_id)


def _row(entry) -> dict:
    return {
        "id": entry.id,
        "program": entry.program,
        "command": entry.command,
        "status": entry.status,
        "verdict": entry.verdict,
        "ranks": entry.ranks,
        "threads": entry.threads,
        "wall_s": entry.wall_s,
        "parameters": entry.parameters,
        "failure": entry.reason,
        "standard_error": entry.standard_error,
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
                entry.id,
                entry.command,
                f"{entry.ranks}x{entry.threads}",
                f"{entry.wall_s:.4g} s" if entry.wall_s is not None else "",
                entry.reason or entry.verdict,
            ]
            for entry in found
        ],
    )
    if failed:
        for entry in found:
            print(f"\n{entry.id}\n{entry.standard_error}")
