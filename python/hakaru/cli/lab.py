"""``hakaru lab``: a cluster of network namespaces on this machine, with a chosen latency and link rate."""

import typer

from hakaru.own.setup import targets as built

REAL_TIME = typer.Option(
    False,
    "--real-time",
    help="Run before all ordinary processes of this machine: on one that is not at rest.",
)


def targets(words: list[str]) -> list[str]:
    return [*built.LAB, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    lab = typer.Typer(
        no_args_is_help=True,
        help="A cluster on this machine: hosts in network namespaces, joined with a chosen latency and link rate.",
    )
    lab.command("up")(up)
    lab.command("down")(down)
    lab.command("status")(status)
    lab.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})(
        run
    )
    lab.command("check")(check)
    app.add_typer(lab, name="lab")


def _describe(settings) -> str:
    from hakaru.base import units

    rate = settings.rate_bytes_per_s
    shown = "unlimited rate" if rate is None else f"{units.digits(8 * rate / 1e6)} Mbit/s"
    return f"{settings.hosts} hosts, {units.seconds(settings.latency_s)} one way, {shown}, MTU {settings.mtu_bytes} B"


def up(
    hosts: int = typer.Option(2, "--hosts", help="Number of hosts."),
    latency: str = typer.Option("0", "--latency", help="One-way latency between hosts: 100us, 1ms, 0."),
    rate: str = typer.Option(
        "unlimited", "--rate", help="Of each host's link, in each direction: 1Gbit, 100Mbit, unlimited."
    ),
    mtu: int = typer.Option(
        65521, "--mtu", help="Longest packet in bytes (1500: Ethernet; long ones cost the cores least)."
    ),
    replace: bool = typer.Option(False, "--replace", help="Take down a lab that is up first."),
) -> None:
    """Bring a lab up (needs root). It stays until 'hakaru lab down'."""
    from hakaru.base import units
    from hakaru.run.lab.bring import bring_up
    from hakaru.run.lab.plan import Settings

    settings = Settings(hosts, units.parse_seconds(latency), units.parse_rate(rate), mtu)
    state = bring_up(settings, replace)
    print(f"lab is up: {_describe(state.settings)}")
    _warn_of_crowding(state)


def _warn_of_crowding(state) -> None:
    cores = len({core for host in state.hosts for core in host.cores})
    if len(state.hosts) > cores:
        print(
            f"{len(state.hosts)} hosts take turns on {cores} cores: what more than {cores} ranks need tells little"
        )
    elif state.switch_shares():
        print(
            f"the switch shares a core with {state.hosts[-1].name}: one core more would make the lab exacter"
        )


def down() -> None:
    """Take the lab down: end what runs on it, remove hosts, switch and files. Also after a crash; repeating it does no harm."""
    from hakaru.run.lab.bring import bring_down

    print("lab is down" if bring_down() else "there was no lab")


def status(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
    """What is up, whether it is whole, and what the switch counts. Exit code 4 when the lab is broken."""
    from dataclasses import asdict

    from hakaru.base.errors import ENVIRONMENT
    from hakaru.base.output import print_json
    from hakaru.run.lab.bring import ask_statistics
    from hakaru.run.lab.state import load, problems
    from hakaru.run.lab.system import processes_inside

    state = load()
    found = problems(state)
    statistics = ask_statistics(state) if state and not found else None
    if as_json:
        shown = None if state is None else asdict(state)
        print_json({"lab": shown, "problems": found, "statistics": statistics})
    elif state is None and not found:
        print("there is no lab")
    elif state is not None:
        print(f"lab of {state.created}: {_describe(state.settings)}")
        _print_hosts(state, processes_inside)
        if statistics:
            print(_statistics_line(statistics))
    if found:
        if not as_json:
            print(f"the lab is broken: {'; '.join(found)}; run hakaru lab up again, or hakaru lab down")
        raise typer.Exit(ENVIRONMENT)


def _print_hosts(state, processes_inside) -> None:
    import os

    from hakaru.base.tables import print_table

    rows = [
        (
            host.name,
            host.address,
            ",".join(map(str, host.cores)),
            str(len(processes_inside([host.name]))) if os.geteuid() == 0 else "only root sees",
        )
        for host in state.hosts
    ]
    print_table("", ("host", "address", "cores", "processes"), rows, right=(3,))


def _statistics_line(statistics: dict) -> str:
    from hakaru.base import units

    line = (
        f"switch: {units.count(statistics['delivered_frames'], 'frame')} delivered, {statistics['dropped_frames']} dropped, "
        f"{statistics['refused_frames']} refused; late by {units.seconds(statistics['lateness_median_s'])} (median), "
        f"{units.seconds(statistics['lateness_99_s'])} (99 %)"
    )
    if why := statistics["without_priority_because"]:
        line += f"; it has no real-time priority ({why}): deliveries wait for other processes"
    return line


def run(
    program: list[str] = typer.Argument(
        ..., metavar="-- PROGRAM [ARGUMENTS]...", help="Program of Open MPI."
    ),
    ranks: int = typer.Option(2, "-n", "--ranks", help="Number of ranks."),
    per_host: int = typer.Option(
        None, "--per-host", help="Ranks on a host (default: spread over all hosts)."
    ),
    variables: list[str] = typer.Option(None, "-x", help="NAME=VALUE for the program only; may be repeated."),
    timeout: str = typer.Option(
        None, "--timeout", help="End the program after this time, for example 10min."
    ),
    real_time: bool = REAL_TIME,
) -> None:
    """Run an MPI program across the hosts. The exit code is the program's."""
    from hakaru.base import units
    from hakaru.facts.programs import parse_assignments
    from hakaru.run.lab.execute import run as run_on_lab

    limit_s = None if timeout is None else units.parse_seconds(timeout)
    done = run_on_lab(program, ranks, per_host, parse_assignments(variables or []), limit_s, False, real_time)
    raise typer.Exit(done.returncode)


def check(
    real_time: bool = REAL_TIME, as_json: bool = typer.Option(False, "--json", help="Print JSON.")
) -> None:
    """Measure latency and rate between the first two hosts and compare with what was asked. Exit code 3 when they do not hold."""
    from dataclasses import asdict

    from hakaru.base.errors import VERIFICATION
    from hakaru.base.output import print_json
    from hakaru.run.lab.check import check as measure
    from hakaru.run.lab.execute import require_up

    state = require_up()
    result = measure(real_time)
    if as_json:
        rows = [
            asdict(row) | {"bound": row.bound if row.bound < float("inf") else None} for row in result.rows
        ]
        print_json(asdict(result) | {"rows": rows})
    else:
        print(f"{' and '.join(result.hosts)}; asked for {_describe(state.settings)}")
        _print_rows(result.rows)
        print(_statistics_line(result.statistics) if result.statistics else "the switch does not answer")
    if not result.passed:
        raise typer.Exit(VERIFICATION)


def _print_rows(rows) -> None:
    from hakaru.base import units
    from hakaru.base.tables import print_table

    cells = []
    for row in rows:
        difference = (
            units.seconds(row.measured - row.bound)
            if row.unit == "s"
            else units.signed_percent(row.measured / row.bound - 1.0)
            if row.bound < float("inf")
            else ""
        )
        cells.append(
            (
                row.what,
                units.quantity(row.bound, row.unit) if row.bound < float("inf") else "unlimited",
                units.quantity(row.measured, row.unit),
                units.quantity(row.best, row.unit),
                difference,
                row.verdict,
            )
        )
    columns = ("", "links allow", "MPI sees", "best", "difference", "verdict")
    print_table("", columns, cells, right=(1, 2, 3, 4))
