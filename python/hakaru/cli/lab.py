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
    from hakaru.tell import lab

    lab.up(bring_up(Settings(hosts, units.parse_seconds(latency), units.parse_rate(rate), mtu), replace))


def down() -> None:
    """Take the lab down: end what runs on it, remove hosts, switch and files. Also after a crash; repeating it does no harm."""
    from hakaru.run.lab.bring import bring_down

    print("lab is down" if bring_down() else "there was no lab")


def status(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
    """What is up, whether it is whole, and what the switch counts. Exit code 4 when the lab is broken."""
    from hakaru.base.errors import ENVIRONMENT
    from hakaru.run.lab.bring import ask_statistics
    from hakaru.run.lab.state import load, problems
    from hakaru.tell import lab

    state = load()
    found = problems(state)
    statistics = ask_statistics(state) if state and not found else None
    lab.status(state, found, statistics, as_json)
    if found:
        raise typer.Exit(ENVIRONMENT)


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
    from hakaru.base.errors import VERIFICATION
    from hakaru.run.lab.check import check as measure
    from hakaru.run.lab.execute import require_up
    from hakaru.tell import lab

    state = require_up()
    result = measure(real_time)
    lab.checked(state, result, as_json)
    if not result.passed:
        raise typer.Exit(VERIFICATION)
