"""``hakaru probe``: measure this machine and write its machine file."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    """The named probes; all of them when none is named."""
    return built.mentioned(built.arguments(words, ("--results", "--output", "--name"))) or built.leaves(
        "probe"
    )


def register(app: typer.Typer) -> None:
    app.command("probe")(probe)


def probe(
    names: list[str] = typer.Argument(
        None, help="Probes to run (default: all); facts of the others come from earlier records."
    ),
    results: Path = typer.Option(
        None, "--results", help="Results folder (default HAKARU_RESULTS or ./hakaru-results)."
    ),
    output: Path = typer.Option(
        None, "--output", help="Machine file (default machine.toml in the results folder)."
    ),
    machine_name: str = typer.Option(None, "--name", help="Name of the machine (default: the host's name)."),
    small: bool = typer.Option(False, "--small", help="Quick and rough: the probes' small presets."),
    as_json: bool = typer.Option(False, "--json", help="Print the machine file as JSON."),
) -> None:
    """Measure this machine: run the probes, distil their records into a machine file, show it. Ends with 4 when a disturbed machine's facts were refused."""
    from hakaru.base.errors import ENVIRONMENT
    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.facts.machines.show import print_machine
    from hakaru.facts.records import RecordStore
    from hakaru.main_job.probing import probe_machine, probe_plan

    store = RecordStore(results_folder(results))
    machine, path, refused = probe_machine(
        store, probe_plan(names or None, "small" if small else None), output, machine_name
    )
    if as_json:
        print_json(machine.tree)
    else:
        print_machine(machine)
        print(f"\nwritten to {path}")
    if refused:
        raise typer.Exit(ENVIRONMENT)
