"""What ``hakaru lab`` prints: what is up, and whether it is what was asked for."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from hakaru.base import units
from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.run.lab.check import Checked, Row
from hakaru.run.lab.plan import Settings
from hakaru.run.lab.state import State
from hakaru.run.lab.system import processes_inside


def described(settings: Settings) -> str:
    rate = settings.rate_bytes_per_s
    shown = "unlimited rate" if rate is None else f"{units.digits(8 * rate / 1e6)} Mbit/s"
    return f"{settings.hosts} hosts, {units.seconds(settings.latency_s)} one way, {shown}, MTU {settings.mtu_bytes} B"


def up(state: State) -> None:
    print(f"lab is up: {described(state.settings)}")
    cores = len({core for host in state.hosts for core in host.cores})
    if len(state.hosts) > cores:
        print(
            f"{len(state.hosts)} hosts take turns on {cores} cores: what more than {cores} ranks need tells little"
        )
    elif state.switch_shares():
        print("the switch takes its time from the hosts' cores: one core more would make the lab exacter")


def status(state: State | None, problems: Sequence[str], statistics: Mapping | None, as_json: bool) -> None:
    """``statistics``: what the switch counts."""
    if as_json:
        shown = None if state is None else asdict(state)
        print_json({"lab": shown, "problems": problems, "statistics": statistics})
        return
    if state is None and not problems:
        print("there is no lab")
    elif state is not None:
        print(f"lab of {state.created}: {described(state.settings)}")
        _print_hosts(state)
        if statistics:
            print(_of_the_switch(statistics))
    if problems:
        print(f"the lab is broken: {'; '.join(problems)}; run hakaru lab up again, or hakaru lab down")


def checked(state: State, result: Checked, as_json: bool) -> None:
    if as_json:
        rows = [
            asdict(row) | {"bound": row.bound if math.isfinite(row.bound) else None} for row in result.rows
        ]
        print_json(asdict(result) | {"rows": rows})
        return
    print(f"{' and '.join(result.hosts)}; asked for {described(state.settings)}")
    columns = ("", "links allow", "MPI sees", "best", "difference", "verdict")
    print_table("", columns, [_cells(row) for row in result.rows], right=(1, 2, 3, 4))
    print(_of_the_switch(result.statistics) if result.statistics else "the switch does not answer")


def _print_hosts(state: State) -> None:
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


def _of_the_switch(counts: Mapping) -> str:
    line = (
        f"switch: {units.count(counts['delivered_frames'], 'frame')} delivered, {counts['dropped_frames']} dropped, "
        f"{counts['refused_frames']} refused; late by {units.seconds(counts['lateness_median_s'])} (median), "
        f"{units.seconds(counts['lateness_99_s'])} (99 %)"
    )
    if why := counts["without_priority_because"]:
        line += f"; it has no real-time priority ({why}): deliveries wait for other processes"
    return line


def _cells(row: Row) -> tuple[str, ...]:
    limited = math.isfinite(row.bound)
    if row.unit == "s":
        difference = units.seconds(row.measured - row.bound)
    else:
        difference = units.signed_percent(row.measured / row.bound - 1.0) if limited else ""
    return (
        row.what,
        units.quantity(row.bound, row.unit) if limited else "unlimited",
        units.quantity(row.measured, row.unit),
        units.quantity(row.best, row.unit),
        difference,
        row.verdict,
    )
