"""Bringing a lab up and down. Whatever happens on the way up, nothing is left behind."""

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from hakaru.base import topology
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.lab import agent, system
from hakaru.run.lab.plan import NETWORK, Settings, plan_hosts, share_cores
from hakaru.run.lab.state import FOLDER, State, boot_identity, exclusively, load, problems, save, switch_runs

DEVICE = "eth0"
SWITCH_PRIORITY = 50  # of SCHED_FIFO: above every ordinary process
START_LIMIT_S = 10.0
FIRST_WINDOW_SEGMENTS = 64
KEPT = ("lab.lock", "run.lock")

# TCP between computers of a cluster that never rest: the window does not shrink in a pause, nothing is remembered from run to run,
# buffers hold more than latency times rate. IPv6 would only talk to itself.
HOST_SETTINGS = {
    "net/ipv6/conf/all/disable_ipv6": "1",
    "net/ipv4/tcp_slow_start_after_idle": "0",
    "net/ipv4/tcp_no_metrics_save": "1",
    "net/ipv4/tcp_rmem": "4096 4194304 33554432",
    "net/ipv4/tcp_wmem": "4096 4194304 33554432",
}


def agent_file() -> Path:
    return FOLDER / "agent"


def statistics_file() -> Path:
    return FOLDER / "statistics.json"


def bring_up(settings: Settings, replaced: bool = False) -> State:
    """Makes the lab. What remains of one that broke is removed first.

    Raises UserError when a lab is up and is not to be ``replaced``, and for what the machine lacks."""
    system.require_everything()
    with exclusively("lab", "another hakaru lab command is at work"):
        try:
            known = load()
        except UserError:
            known = None
        if known and not problems(known) and not replaced:
            raise UserError(
                f"a lab of {len(known.hosts)} hosts is up already",
                f"since {known.created}",
                "use it, add --replace, or run hakaru lab down",
                ENVIRONMENT,
            )
        remove_everything()
        try:
            return _make(settings)
        except BaseException:
            with system.uninterrupted():
                remove_everything()
            raise


def bring_down() -> bool:
    """Removes the lab and everything that may be left of one; False when there was nothing."""
    system.require_root()
    if not FOLDER.is_dir() and not system.namespaces():
        return False
    with exclusively("lab", "another hakaru lab command is at work"), system.uninterrupted():
        return remove_everything()


def remove_everything() -> bool:
    """Ends the processes on the hosts and the switch, removes namespaces and files; False when there was nothing."""
    try:
        state = load()
    except UserError:
        state = None
    names = system.namespaces()
    found = bool(names) or state is not None
    system.end_processes(lambda: system.processes_inside(names))
    if state:
        system.end_processes(lambda: _switch_processes(state))
    for name in names:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
    if FOLDER.is_dir():
        for entry in FOLDER.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name not in KEPT:
                entry.unlink(missing_ok=True)
    if left := system.namespaces():
        raise UserError(
            f"namespaces cannot be removed: {', '.join(left)}",
            "ip netns delete failed",
            "run 'ip netns delete NAME' to see why",
            ENVIRONMENT,
        )
    return found


def _switch_processes(state: State) -> list[int]:
    _reap(state.switch_pid)
    return [state.switch_pid] if switch_runs(state) else []


def _reap(pid: int | None) -> None:
    """Takes leave of the switch when this process started it."""
    try:
        if pid:
            os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def _make(settings: Settings) -> State:
    owned, switch_cores = share_cores([core[0] for core in topology.here().by_core], settings.hosts)
    hosts = plan_hosts(settings.hosts, owned)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    state = State(settings, hosts, switch_cores, created, boot_identity())
    save(state)
    (FOLDER / "tmp").mkdir(exist_ok=True)
    agent_file().write_text(agent.script(hosts, system.NAMESPACES))
    for host in hosts:
        system.tool(["ip", "netns", "add", host.name])
    state = _start_switch(state)
    for host in hosts:
        _configure(state, host.name)
    return state


def _configure(state: State, name: str) -> None:
    """Address, neighbours and settings of one host."""
    lines = "\n".join(
        f"[ ! -e /proc/sys/{key} ] || echo '{value}' > /proc/sys/{key}"
        for key, value in HOST_SETTINGS.items()
    )
    system.tool(["nsenter", f"--net={system.NAMESPACES / name}", "sh", "-ec", lines])
    own = next(host for host in state.hosts if host.name == name)
    commands = [
        "link set lo up",
        f"link set {DEVICE} address {own.hardware_address} mtu {state.settings.mtu_bytes} txqueuelen 10000",
        f"link set {DEVICE} up",
        f"address add {own.address}/{NETWORK.partition('/')[2]} dev {DEVICE}",
        f"route replace {NETWORK} dev {DEVICE} src {own.address}"
        f" initcwnd {FIRST_WINDOW_SEGMENTS} initrwnd {FIRST_WINDOW_SEGMENTS}",
    ]
    commands += [
        f"neighbour replace {host.address} lladdr {host.hardware_address} dev {DEVICE} nud permanent"
        for host in state.hosts
        if host is not own
    ]
    system.tool(["ip", "-netns", name, "-batch", "-"], "\n".join(commands) + "\n")


def _start_switch(state: State) -> State:
    """Starts the switch, which outlives this command, and waits until its devices are there."""
    settings = state.settings
    command = [
        str(system.native_program("switch")),
        f"--latency-ns={round(settings.latency_s * 1e9)}",
        f"--bytes-per-second={settings.rate_bytes_per_s or 0!r}",
        f"--mtu={settings.mtu_bytes}",
        f"--priority={SWITCH_PRIORITY}",
        *on_cores(state),
        f"--device={DEVICE}",
        f"--statistics={statistics_file()}",
        *[str(system.NAMESPACES / host.name) for host in state.hosts],
    ]
    log = FOLDER / "switch.log"
    command = ["taskset", "--cpu-list", ",".join(map(str, state.switch_cores)), *command]
    with open(log, "w") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd="/",
            start_new_session=True,
        )
    state = replace(state, switch_pid=process.pid, switch_start_ticks=system.start_ticks(process.pid))
    save(state)
    with process.stdout:
        if not _says_ready(process):
            raise UserError(
                "the switch does not start",
                " ".join(log.read_text().split()) or f"no word from it in {START_LIMIT_S:g} s",
                "run hakaru lab down and try again",
                ENVIRONMENT,
            )
    return state


def on_cores(state: State) -> list[str]:
    """Options of the switch. On a host's core what it polls would be lost to that host's computing."""
    if not state.switch_shares():
        return []
    return ["--longest-poll-ns=0", f"--cores={','.join(str(host.cores[0]) for host in state.hosts)}"]


def _says_ready(process: subprocess.Popen) -> bool:
    import select

    ready, _, _ = select.select([process.stdout], [], [], START_LIMIT_S)
    return bool(ready) and process.stdout.readline().strip() == b"ready"


def ask_statistics(state: State, limit_s: float = 2.0) -> dict | None:
    """What the switch counts, now; None when it does not answer, or to others than root."""
    if not switch_runs(state) or os.geteuid() != 0:
        return None
    statistics_file().unlink(missing_ok=True)
    os.kill(state.switch_pid, signal.SIGUSR1)
    if not system.wait_until(statistics_file().exists, limit_s):
        return None
    return json.loads(statistics_file().read_text())
