"""Launches on this host: what is bound to what, by the cores and hardware threads that there are."""

from hakaru.base import topology
from hakaru.base.errors import UserError
from hakaru.base.topology import Topology
from hakaru.run.launchers.known import launcher
from hakaru.run.launchers.launch import CORES, NONE, Launch


def launch_here(
    name: str, ranks: int, threads: int = 1, threads_of_core: int | None = None, host: Topology | None = None
) -> Launch:
    """How the launcher ``name`` starts so many ranks of so many threads here.

    ``threads_of_core``: hardware threads of a core to be used; None: one, and more only where cores do not suffice. Nothing is bound where
    hardware threads do not suffice either, where this process is confined to some processors (the launchers would bind outside of them), or
    where nobody said how many of a core and the launcher has no words for it. Raises UserError when a core has not so many as were asked for, or
    the launcher cannot use so many."""
    host = host or topology.here()
    own = launcher(name)
    used = threads_of_core or hardware_threads_needed(ranks * threads, host)
    if used > host.threads_of_core:
        raise UserError(
            f"{used} hardware threads of a core cannot be used",
            f"there are {host.words()}",
            "use fewer of a core",
        )
    crowded = ranks * threads > host.cores * used
    whole = threads % used == 0 or used == host.threads_of_core or (threads == 1 and own.shares_cores)
    if not whole and threads_of_core and not crowded:
        raise UserError(
            f"{ranks} x {threads} cannot use {used} of {host.threads_of_core} hardware threads of a core with {own.title}",
            "the threads of a rank do not fill whole cores",
            f"use {host.threads_of_core} of a core, or a multiple of {used} threads",
        )
    binding = NONE if crowded or host.confined or not whole else CORES
    return Launch(name, ranks, threads, threads_of_core=used, binding=binding, oversubscribed=crowded)


def hardware_threads_needed(threads: int, host: Topology) -> int:
    """The fewest hardware threads of a core on which so many threads have one each; 1 where none suffice."""
    return hardware_threads_of(threads, host.cores, host.threads_of_core)


def hardware_threads_of(threads: int, cores: int, threads_of_core: int) -> int:
    """The same for so many cores with so many hardware threads each."""
    for used in range(1, threads_of_core + 1):
        if threads <= cores * used:
            return used
    return 1
