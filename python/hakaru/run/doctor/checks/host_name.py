"""Whether this host knows the address of its own name: MPI asks for it at every start, and a name server that is not there takes 5 s."""

import platform

from hakaru.run.doctor.finding import Finding, bad, fine
from hakaru.run.doctor.system import System

title = "Name of this host"


def check(system: System) -> Finding:
    name = platform.node()
    if name in _of_hosts(system.read("etc/hosts") or ""):
        return fine(f"{name} stands in /etc/hosts")
    if "myhostname" in _sources(system.read("etc/nsswitch.conf") or ""):
        return fine(f"{name} is known to the name service of systemd")
    return bad(
        f"{name} does not stand in /etc/hosts: every start of MPI may wait 5 s for a name server",
        f"add the line '127.0.1.1 {name}' to /etc/hosts",
    )


def _of_hosts(text: str) -> set[str]:
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return {name for words in lines for name in words[1:]}


def _sources(text: str) -> list[str]:
    """Where the name service looks for hosts, in order."""
    lines = (line.partition("#")[0].partition(":") for line in text.splitlines())
    return next((sources.split() for database, _, sources in lines if database.strip() == "hosts"), [])
