"""``hakaru probe``: measure this machine and write its machine file."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built

OPTIONS = ("--results", "--output", "--name", "--nodes", "--site")


def targets(words: list[str]) -> list[str]:
    """The named probes; all of them when none is named."""
    return built.mentioned(built.arguments(words, OPTIONS)) or built.leaves("probe")


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
    nodes: int = typer.Option(
        2, "--nodes", min=1, help="With --submit, --collect: nodes that exchange messages."
    ),
    submit: bool = typer.Option(False, "--submit", help="Run the probes as jobs of the batch system."),
    collect: bool = typer.Option(
        False, "--collect", help="Write the machine file of what the jobs have left; name the same probes."
    ),
    wait: bool = typer.Option(
        False, "--wait", help="With --submit, --collect: wait until the jobs have ended."
    ),
    dry_run: bool = typer.Option(False, "--dry-run", help="With --submit: show the scripts; submit nothing."),
    site: Path = typer.Option(
        None, "--site", help="Site file (default HAKARU_SITE, ./site.toml, ~/.config/hakaru/site.toml)."
    ),
) -> None:
    """Measure this machine: run the probes, distil their records into a machine file, show it. Ends with 4 when a disturbed machine's facts were refused."""
    from hakaru.base.errors import ENVIRONMENT
    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.facts.machines.show import print_machine
    from hakaru.facts.records import RecordStore
    from hakaru.main_job.probing import probe_machine, probe_plan

    store = RecordStore(results_folder(results))
    if submit or collect:
        from hakaru.tell.batch import Asked

        asked = Asked(None, results, site, submit, collect, dry_run=dry_run, wait=wait, as_json=as_json)
        preset = "small" if small else None
        raise typer.Exit(probe_jobs(store, asked, nodes, names or None, preset, output, machine_name))
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


def probe_jobs(store, asked, nodes: int, names, preset, output, machine_name) -> int:
    """As jobs; the machine file is written when there are records to make it of."""
    import platform

    from hakaru.base.errors import ENVIRONMENT
    from hakaru.facts.machines.show import print_machine
    from hakaru.main_job.probing_jobs import Wanted, cluster_plans, machine_of
    from hakaru.run.batch.site import Site, site_file
    from hakaru.tell.batch import answer_for

    site = Site.read(site_file(asked.site))
    plans = cluster_plans(Wanted(nodes, names, preset, store.folder), site)
    status = max(answer_for(plan, own, store, asked) for plan, own in plans)
    if asked.dry_run or not (asked.collect or asked.wait):
        return status
    machine, path, refused = machine_of(
        store, [plan for plan, _ in plans], site, machine_name or site.name or platform.node(), output
    )
    if not asked.as_json:
        print_machine(machine)
        print(f"\nwritten to {path}")
    return ENVIRONMENT if refused else status
