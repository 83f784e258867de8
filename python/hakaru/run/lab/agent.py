"""The script with which a process gets onto a host: network, own host name, own cores. mpirun uses it in the place of ssh."""

import shlex
from pathlib import Path

from hakaru.run.lab.plan import Host

# Called as ssh is: [options] [user@]host command...
_SCRIPT = """#!/bin/sh
while :; do
  case $1 in
    -l | -o | -p) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=${{1#*@}}
shift
case $host in
{cases}
  *) echo "hakaru lab: there is no host $host (the lab was made without it); name another" >&2; exit 4 ;;
esac
exec nsenter --net={namespaces}/$name taskset --cpu-list $cores unshare --uts \\
  sh -c 'echo "$0" > /proc/sys/kernel/hostname && exec sh -c "$1"' "$name" "$*"
"""


def script(hosts: list[Host], namespaces: Path) -> str:
    """Text of the script; hosts are known by name and by address."""
    cases = "\n".join(
        f"  {host.name} | {host.address}) name={host.name} cores={','.join(map(str, host.cores))} ;;"
        for host in hosts
    )
    return _SCRIPT.format(cases=cases, namespaces=namespaces)


def on_host(agent: Path, host: Host, command: list[str]) -> list[str]:
    """``command`` on ``host``. The script is read by sh, since its folder may not allow programs."""
    return ["/bin/sh", str(agent), host.name, f"exec {shlex.join(command)}"]
