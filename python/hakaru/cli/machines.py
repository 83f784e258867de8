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
    from hakaru.base.errors import UserError
    from hakaru.base.paths import results_folder
    from hakaru.facts.machines.files import resolve

    folder = results_folder(results)
    if rank:
        _rank(folder, names or [], nodes, ranks, threads, as_json)
    elif not names:
        _list(folder, as_json)
    elif len(names) == 1:
        _show(resolve(names[0], folder), as_json)
    elif len(names) == 2:
        _compare(resolve(names[0], folder), resolve(names[1], folder), as_json)
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


def _list(folder: Path, as_json: bool) -> None:
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.facts.machines import Machine, known_machines

    files = dict(known_machines())
    if (folder / "machine.toml").is_file():
        files["here"] = folder / "machine.toml"
    rows, broken = [], 0
    for name, path in files.items():
        try:
            machine = Machine.load(path)
            rows.append(
                {
                    "name": name,
                    "kind": machine.kind,
                    "description": machine.description,
                    "facts": sum(1 for _ in machine.walk()),
                    "valid": True,
                    "problem": None,
                }
            )
        except UserError as error:
            broken += 1
            rows.append(
                {
                    "name": name,
                    "kind": None,
                    "description": "",
                    "facts": 0,
                    "valid": False,
                    "problem": str(error),
                }
            )
    if as_json:
        print_json(rows)
    elif not rows:
        print("no machine is known yet; measure this one with: hakaru probe")
    else:
        from hakaru.base.tables import print_table

        print_table(
            "Machines",
            ["name", "kind", "facts", "description"],
            [
                [
                    row["name"],
                    row["kind"] or "INVALID",
                    str(row["facts"]),
                    row["problem"] or row["description"],
                ]
                for row in rows
            ],
        )
    if broken:
        raise typer.Exit(3)


def _show(path: Path, as_json: bool) -> None:
    from hakaru.base.output import print_json
    from hakaru.facts.machines import Machine
    from hakaru.facts.machines.show import print_machine

    machine = Machine.load(path)
    if as_json:
        print_json(machine.tree)
    else:
        print_machine(machine)


def _compare(first: Path, second: Path, as_json: bool) -> None:
    from dataclasses import asdict

    from hakaru.base.output import print_json
    from hakaru.base.tables import print_table
    from hakaru.base.units import shown
    from hakaru.facts.machines import Machine
    from hakaru.facts.machines.compare import compare

    one, two = Machine.load(first), Machine.load(second)
    rows = compare(one, two)
    if as_json:
        print_json({"first": one.name, "second": two.name, "rows": [asdict(row) for row in rows]})
        return
    words = {True: "yes", False: "within the intervals", None: ""}
    print_table(
        f"{one.name} against {two.name}",
        ["fact", "about", one.name, two.name, "ratio", "differs"],
        [
            [
                row.fact,
                " ".join(f"{k}={v}" for k, v in row.keys.items()),
                shown(row.first, row.unit),
                shown(row.second, row.unit),
                f"{row.ratio:.3f}" if row.ratio is not None else "",
                words[row.differs],
            ]
            for row in rows
        ],
    )
