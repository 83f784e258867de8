"""Running an MPI program across the hosts of a lab."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.lab import agent, system
from hakaru.run.lab.bring import agent_file
from hakaru.run.lab.plan import NETWORK
from hakaru.run.lab.state import FOLDER, State, exclusively, load, problems
from hakaru.run.launchers import NONE, Launch
from hakaru.run.launchers.launch import pairs

GRACE_S = 5.0  # for mpirun to end its ranks
REAL_TIME = ("chrt", "--rr", "10")  # above every ordinary process, below the switch


def require_up() -> State:
    """The lab that is up. Raises UserError when there is none or it is broken."""
    system.require_root()
    state = load()
    if state is None:
        raise UserError(
            "there is no lab", "none was brought up", "run hakaru lab up --hosts 2 first", ENVIRONMENT
        )
    if found := problems(state):
        raise UserError(
            "the lab is broken", "; ".join(found), "run hakaru lab up again, or hakaru lab down", ENVIRONMENT
        )
    return state


def ranks_per_host(ranks: int, per_host: int | None, hosts: int) -> int:
    """How many ranks each host gets; without a wish they are spread over all hosts. Raises UserError when they do not fit."""
    if ranks < 1 or (per_host is not None and per_host < 1):
        raise UserError(
            f"{min(ranks, per_host or ranks)} ranks cannot run", "at least one is needed", "ask for more"
        )
    each = per_host or -(-ranks // hosts)
    if each * hosts < ranks:
        raise UserError(
            f"{ranks} ranks do not fit",
            f"{hosts} hosts hold {each} each",
            "use fewer ranks or a larger --per-host",
        )
    return each


def shares_processors(state: State, ranks: int, each: int, threads: int) -> bool:
    """Whether ranks, threads or the switch take turns on a core, so that one that waits must let the others run."""
    used = state.hosts[: -(-ranks // each)]
    cores = [core for host in used for core in host.cores]
    crowded = any(each * threads > len(host.cores) for host in used)
    return crowded or len(set(cores)) < len(cores) or state.switch_shares()


def launch_line(
    state: State, program: Sequence[str], ranks: int, each: int, environment: Mapping[str, str]
) -> list[str]:
    """mpirun on the first host; the ranks inherit their host's cores, so mpirun itself binds nothing.

    The variables are set for the program only, by env(1): a preloaded library does not get into mpirun and its daemons. Long messages
    go in fragments (``btl_tcp_flags``): Open MPI's default hands the whole message to the socket at once, where the go-ahead for a
    message of the other direction waits behind it, so that two ranks never send at the same time. One-sided communication must not go by
    UCX, which sees one machine and takes shared memory past the links (eight times too fast here, with wrong data in one run of ten)."""
    used = -(-ranks // each)
    threads = int(environment.get("OMP_NUM_THREADS", "1"))
    options = {
        "plm_rsh_agent": f"/bin/sh {agent_file()}",
        "plm_rsh_no_tree_spawn": "1",
        "oob_tcp_if_include": NETWORK,
        "btl_tcp_if_include": NETWORK,
        "pml": "ob1",
        "btl": "self,vader,tcp",
        "btl_tcp_flags": "send,inplace",
        "osc": "^rdma,ucx",
        "orte_tmpdir_base": str(FOLDER / "tmp"),
        "mpi_yield_when_idle": "1" if shares_processors(state, ranks, each, threads) else "0",
    }
    launch = Launch(
        "openmpi",
        ranks,
        threads,
        nodes=used,
        binding=NONE,
        oversubscribed=True,
        hosts=tuple((host.address, each) for host in state.hosts[:used]),
        settings=pairs(options),
    )
    system.mpirun()
    variables = [f"{name}={value}" for name, value in sorted(environment.items())]
    return launch.command([shutil.which("env") or "/usr/bin/env", *variables, *program])


def run(
    argv: Sequence[str],
    ranks: int,
    per_host: int | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    capture: bool = True,
    real_time: bool = False,
) -> subprocess.CompletedProcess:
    """Runs a program on the lab that is up and returns its exit code and, when captured, what it printed.

    ``real_time`` runs it before all ordinary processes of the machine, which get what the kernel keeps back for them (5 %).

    Raises UserError when there is no lab, another program runs on it, or the time was not enough. No process outlives this call."""
    state = require_up()
    each = ranks_per_host(ranks, per_host, len(state.hosts))
    program = [_absolute(argv[0]), *argv[1:]]
    variables = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")} | dict(environment or {})
    line = [*(REAL_TIME if real_time else ()), *launch_line(state, program, ranks, each, variables)]
    with exclusively("run", "another program runs on the lab"):
        try:
            done = _run(agent.on_host(agent_file(), state.hosts[0], line), timeout_s, capture)
        finally:
            _clear(state)
    if found := problems(state):
        raise UserError(
            "the lab broke during the run", "; ".join(found), "run hakaru lab up again", ENVIRONMENT
        )
    return subprocess.CompletedProcess(list(argv), done.returncode, done.stdout, done.stderr)


def _absolute(program: str) -> str:
    """A program given by a relative path or found on PATH. Raises UserError when there is none."""
    found = shutil.which(program)
    if not found:
        raise UserError(f"{program} cannot be started", "there is no such program", "give its path")
    return str(Path(found).absolute())


def _run(command: list[str], timeout_s: float | None, capture: bool) -> subprocess.CompletedProcess:
    pipe = subprocess.PIPE if capture else None
    variables = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if capture else None,
        stdout=pipe,
        stderr=pipe,
        text=True,
        errors="replace",
        env=variables,
    ) as process:
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except BaseException as stop:
            _stop(process)
            if not isinstance(stop, subprocess.TimeoutExpired):
                raise
            raise UserError(
                "the program on the lab was ended",
                f"it had not finished in {timeout_s:g} s",
                "allow more time, or see whether it waits for itself",
                ENVIRONMENT,
            ) from None
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _stop(process: subprocess.Popen) -> None:
    with system.uninterrupted():
        processes.end(process, group=False, patience_s=GRACE_S)


def _clear(state: State) -> None:
    """Waits until the hosts are empty; ends what stays."""
    names = [host.name for host in state.hosts]

    def inside() -> list[int]:
        return system.processes_inside(names)

    with system.uninterrupted():
        if not system.wait_until(lambda: not inside(), 1.0):
            system.end_processes(inside)
        for entry in (FOLDER / "tmp").glob("*"):
            shutil.rmtree(entry, ignore_errors=True)
