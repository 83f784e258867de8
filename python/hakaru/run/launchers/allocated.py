"""Launches within what a batch system has granted: ranks spread evenly over its nodes, by the launcher that the site names."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.run.launchers.here import hardware_threads_of
from hakaru.run.launchers.known import launcher
from hakaru.run.launchers.launch import CORES, NONE, Launch


@dataclass(frozen=True)
class Granted:
    """``cores``: of each node, with ``threads_of_core`` hardware threads each. ``hosts``: their names where the launcher has to be told;
    (): it asks the batch system itself. ``bound``: ranks are bound to cores."""

    launcher: str
    nodes: int
    cores: int
    threads_of_core: int = 1
    hosts: tuple[str, ...] = ()
    bound: bool = True


def launch_granted(granted: Granted, ranks: int, threads: int, nodes: int) -> Launch:
    """So many ranks of so many threads on so many of the granted nodes. Raises UserError when there are fewer nodes."""
    if nodes > granted.nodes:
        raise UserError(
            f"{ranks} ranks cannot be spread over {nodes} nodes",
            f"the batch system granted {granted.nodes}",
            "submit with hakaru campaign FILE --submit, which asks for as many as are needed",
        )
    each = -(-ranks // nodes)
    used = hardware_threads_of(each * threads, granted.cores, granted.threads_of_core)
    crowded = each * threads > granted.cores * used
    whole = threads % used == 0 or used == granted.threads_of_core or launcher(granted.launcher).shares_cores
    binding = CORES if granted.bound and whole and not crowded else NONE
    return Launch(
        granted.launcher,
        ranks,
        threads,
        nodes,
        threads_of_core=used,
        binding=binding,
        hosts=slots(granted.hosts[:nodes], ranks),
        oversubscribed=crowded,
    )


def slots(hosts: Sequence[str], ranks: int) -> tuple[tuple[str, int], ...]:
    """(host, ranks that it holds), the first ones the fullest."""
    return tuple((host, -(-(ranks - at) // len(hosts))) for at, host in enumerate(hosts))
