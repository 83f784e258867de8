"""The lab that is up, as a file: what it is, and whether it still is."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.lab import system
from hakaru.run.lab.plan import Host, Settings

FOLDER = Path("/run/hakaru-lab")  # namespaces are the machine's, so there is one lab on it
SCHEMA = "hakaru/lab/1"


@dataclass(frozen=True)
class State:
    """``switch_pid`` and ``switch_start_ticks`` are None until the switch runs."""

    settings: Settings
    hosts: list[Host]
    switch_cores: tuple[int, ...]
    created: str
    boot: str
    switch_pid: int | None = None
    switch_start_ticks: int | None = None

    def switch_shares(self) -> bool:
        """Whether the switch takes its time from a host."""
        return any(core in host.cores for host in self.hosts for core in self.switch_cores)


def boot_identity() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def state_file(folder: Path = FOLDER) -> Path:
    return folder / "state.json"


def save(state: State, folder: Path = FOLDER) -> None:
    """Whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / "state.json.new"
    temporary.write_text(json.dumps({"schema": SCHEMA} | asdict(state), indent=1) + "\n")
    os.replace(temporary, state_file(folder))


def load(folder: Path = FOLDER) -> State | None:
    """None when no lab was made. Raises UserError when the file cannot be understood."""
    try:
        data = json.loads(state_file(folder).read_text())
        if data.pop("schema") != SCHEMA:
            raise ValueError("it was written by another version")
        hosts = [Host(**host | {"cores": tuple(host["cores"])}) for host in data.pop("hosts")]
        cores = tuple(data.pop("switch_cores"))
        return State(settings=Settings(**data.pop("settings")), hosts=hosts, switch_cores=cores, **data)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{state_file(folder)} cannot be read", str(error), "run hakaru lab down", ENVIRONMENT
        ) from None


def switch_runs(state: State) -> bool:
    """The process of that number is the switch, and not a later one that got its number."""
    pid = state.switch_pid
    return pid is not None and system.is_running(pid) and system.start_ticks(pid) == state.switch_start_ticks


def problems(state: State | None) -> list[str]:
    """Why the lab is not what its file says; empty when it is, or when there is neither lab nor remains."""
    names = set(system.namespaces())
    if state is None:
        return [f"namespaces without a lab: {', '.join(sorted(names))}"] if names else []
    if state.boot != boot_identity():
        return ["the machine has been restarted since"]
    found = [] if switch_runs(state) else ["its switch does not run"]
    wanted = {host.name for host in state.hosts}
    if missing := sorted(wanted - names):
        found.append(f"hosts are missing: {', '.join(missing)}")
    if unknown := sorted(names - wanted):
        found.append(f"namespaces are left over: {', '.join(unknown)}")
    return found


@contextmanager
def exclusively(name: str, busy: str, folder: Path = FOLDER) -> Iterator[None]:
    """Holds the lock ``name``. Raises UserError with the problem ``busy`` when another process holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(busy, "one at a time", "wait until it has ended", ENVIRONMENT) from None
        yield
