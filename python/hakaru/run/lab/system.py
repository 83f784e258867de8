"""What a lab needs from the machine, and the machine's tools as functions."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, mpi_flavour
from hakaru.run.lab.plan import PREFIX

TUN = Path("/dev/net/tun")
NAMESPACES = Path("/run/netns")  # where ip(8) keeps them


def require_root() -> None:
    """Raises UserError unless this process may make network namespaces and devices."""
    if not sys.platform.startswith("linux"):
        raise UserError(
            "a lab cannot be made here", f"{sys.platform} has no network namespaces", "use Linux", ENVIRONMENT
        )
    if os.geteuid() != 0:
        raise UserError(
            "a lab needs root", "only root makes network namespaces and devices", "use sudo", ENVIRONMENT
        )


def require_everything(tun: Path = TUN) -> None:
    """Raises UserError for the first thing that a lab needs and this machine lacks."""
    require_root()
    if not tun.exists():
        raise UserError(
            f"{tun} is missing",
            "the switch needs TAP devices",
            "load the module with 'modprobe tun'; start a container with --device /dev/net/tun --cap-add NET_ADMIN --cap-add SYS_ADMIN",
            ENVIRONMENT,
        )
    from hakaru.own.setup.needs import missing

    for need in missing(("lab",)):
        raise UserError(
            f"{need.name} is missing",
            "hosts of a lab are made with it",
            f"apt-get install {need.packages[0]}",
            ENVIRONMENT,
        )
    native_program("switch")


def native_program(name: str) -> Path:
    """A built program of native/lab. Raises UserError when it is not there."""
    path = build_folder() / "lab" / name
    if not path.is_file():
        raise UserError(
            f"the lab's {name} is not built",
            f"{path} is missing",
            "start through ./hakaru, which builds it",
            ENVIRONMENT,
        )
    return path


def mpirun() -> str:
    """Open MPI's launcher. Raises UserError when hakaru is built with another library, or it is missing."""
    if mpi_flavour() != "openmpi":
        raise UserError(
            f"programs of {mpi_flavour()} cannot be started on a lab",
            "it starts them with Open MPI's mpirun",
            "build with HAKARU_MPI=openmpi",
            ENVIRONMENT,
        )
    found = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not found:
        raise UserError(
            "Open MPI's mpirun is missing",
            "programs are started with it",
            "apt-get install openmpi-bin",
            ENVIRONMENT,
        )
    return found


def tool(command: Sequence[str], text: str | None = None) -> str:
    """Runs a system tool and returns what it prints. Raises UserError with its own words when it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise UserError(
            f"'{' '.join(command)}' failed",
            " ".join(done.stderr.split()) or f"exit status {done.returncode}",
            "run hakaru lab down and try again; a container needs the capabilities NET_ADMIN and SYS_ADMIN",
            ENVIRONMENT,
        )
    return done.stdout


def namespaces() -> list[str]:
    """Names of the namespaces that belong to a lab."""
    if not NAMESPACES.is_dir():
        return []
    return sorted(entry.name for entry in NAMESPACES.iterdir() if entry.name.startswith(PREFIX))


def processes_inside(names: Iterable[str]) -> list[int]:
    """Processes that use the network of these namespaces."""
    wanted = set()
    for name in names:
        try:
            wanted.add((NAMESPACES / name).stat().st_ino)
        except OSError:
            continue
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (entry / "ns/net").stat().st_ino in wanted and is_running(int(entry.name)):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def _stat_fields(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat from the third (state) on; None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text[text.rindex(")") + 2 :].split()


def start_ticks(pid: int) -> int | None:
    """When the process started, in clock ticks since the machine did: with the number it names one process for good."""
    fields = _stat_fields(pid)
    return int(fields[19]) if fields else None


def is_running(pid: int) -> bool:
    """False also for a process that has ended and was not reaped."""
    fields = _stat_fields(pid)
    return fields is not None and fields[0] not in ("Z", "X")


def wait_until(condition, limit_s: float) -> bool:
    """Whether ``condition()`` came true within the limit."""
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def end_processes(find, patience_s: float = 2.0) -> None:
    """Ends the processes that ``find()`` lists: asks first, and forces what has not gone within the limit."""
    for number, limit_s in ((signal.SIGTERM, patience_s), (signal.SIGKILL, patience_s)):
        for pid in find():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        if wait_until(lambda: not find(), limit_s):
            return


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals that end a command are ignored inside: what cleans up is not left half done."""
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
