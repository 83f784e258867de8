"""A real Slurm on this machine, for tests: munge, slurmctld, and one slurmd in each of a few network namespaces, which are its nodes."""

import getpass
import os
import platform
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.processes import end
from hakaru.own.setup.needs import missing
from hakaru.run.lab import system

NETWORK = "10.78.0"
BRIDGE = "hakaru-slurm"
PREFIX = "hkslurm"  # of nodes and namespaces
SERVER = f"{NETWORK}.254"
START_LIMIT_S = 20.0

CONFIGURATION = """ClusterName=hakaru
SlurmctldHost={host}({server})
SlurmctldParameters=enable_configless
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort=16817
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
TmpFS={folder}/tmp/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=3
UnkillableStepTimeout=10
MinJobAge=300
MaxArraySize=1001
{nodes}
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=main Nodes={names} Default=YES MaxTime=60 State=UP OverSubscribe=NO
PartitionName=urgent Nodes={names} PriorityTier=10 PreemptMode=OFF MaxTime=60 State=UP OverSubscribe=NO
"""


def why_not() -> str | None:
    """Why no Slurm can be brought up here; None when one can."""
    try:
        system.require_root()
    except UserError as error:
        return str(error)
    for need in missing(("slurm", "lab")):
        return f"no Slurm is installed: {need.name} is missing (apt-get install {need.packages[0]})"
    if any(entry.startswith(PREFIX) for entry in _namespaces()):
        return "a Slurm is up on this machine already, and there is room for one"
    made = subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True, text=True)
    return None if made.returncode == 0 else f"namespaces cannot be made here ({made.stderr.strip()})"


def _namespaces() -> list[str]:
    return [entry.name for entry in system.NAMESPACES.iterdir()] if system.NAMESPACES.is_dir() else []


class SlurmHere:
    """``with SlurmHere(folder, nodes=2) as slurm:`` its commands work in this process and its children (SLURM_CONF).

    ``cpus``: processors that each node claims to have; the nodes share those of this machine. Removed on exit, also by an exception."""

    def __init__(self, folder: Path, nodes: int = 2, cpus: int = 2):
        self.folder, self.cpus = folder, cpus
        self.names = [f"{PREFIX}{number}" for number in range(1, nodes + 1)]
        self.daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> "SlurmHere":
        with ExitStack() as undo:
            undo.callback(self._clear)
            self._network()
            self._configure()
            munge = f"--socket={self.folder}/munge.socket --key-file={self.folder}/munge.key --pid-file={self.folder}/munge.pid"
            self._start(
                "munged",
                [
                    _tool("munged"),
                    "--foreground",
                    "--force",
                    *munge.split(),
                    f"--log-file={self.folder}/munge.log",
                    f"--seed-file={self.folder}/munge.seed",
                ],
            )
            self._wait((self.folder / "munge.socket").exists, "munged does not start")
            os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
            self._start("slurmctld", [_tool("slurmctld"), "-D", "-f", os.environ["SLURM_CONF"]])
            for name in self.names:
                self.start_node(name)
            self._wait(self.all_idle, "the nodes do not get ready")
            undo.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._clear()

    def start_node(self, name: str) -> None:
        words = [_tool("slurmd"), "-D", "-N", name, "-f", str(self.folder / "slurm.conf")]
        script = 'echo "$0" > /proc/sys/kernel/hostname && exec "$@"'
        inside = [
            "nsenter",
            f"--net={system.NAMESPACES / name}",
            "unshare",
            "--uts",
            "sh",
            "-c",
            script,
            name,
        ]
        self._start(name, [*inside, *words])

    def kill_node(self, name: str) -> None:
        """The node dies with everything that runs on it, as when its power goes."""
        daemon = self.daemons.pop(name)
        daemon.kill()
        for pid in system.processes_inside([name]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        daemon.wait()

    def told(self, *words: str) -> str:
        """What one of its commands prints."""
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    def _network(self) -> None:
        system.tool(["ip", "link", "add", BRIDGE, "type", "bridge"])
        system.tool(["ip", "address", "add", f"{SERVER}/24", "dev", BRIDGE])
        system.tool(["ip", "link", "set", BRIDGE, "up"])
        for number, (name, link) in enumerate(self._links().items(), 1):
            system.tool(["ip", "netns", "add", name])
            system.tool(["ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name])
            system.tool(["ip", "link", "set", link, "master", BRIDGE, "up"])
            system.tool(["ip", "-n", name, "address", "add", f"{NETWORK}.{number}/24", "dev", "eth0"])
            system.tool(["ip", "-n", name, "link", "set", "eth0", "up"])
            system.tool(["ip", "-n", name, "link", "set", "lo", "up"])

    def _links(self) -> dict[str, str]:
        """Of each node, its end on the bridge."""
        return {name: f"hkv{number}" for number, name in enumerate(self.names, 1)}

    def _configure(self) -> None:
        for name in ("state", "spool", *(f"tmp/{node}" for node in self.names)):
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={name} NodeAddr={NETWORK}.{number} Port=17001 CPUs={self.cpus} RealMemory=2000 State=UNKNOWN"
            for number, name in enumerate(self.names, 1)
        )
        text = CONFIGURATION.format(
            host=platform.node(),
            server=SERVER,
            user=getpass.getuser(),
            folder=self.folder,
            nodes=nodes,
            names=",".join(self.names),
        )
        (self.folder / "slurm.conf").write_text(text)

    def _start(self, name: str, words: list[str]) -> None:
        with open(self.folder / f"{name}.out", "ab") as out:
            self.daemons[name] = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd="/", start_new_session=True
            )

    def all_idle(self) -> bool:
        done = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--partition=main", "--format=%t"],
            capture_output=True,
            text=True,
        )
        return done.stdout.split() == ["idle"] * len(self.names)

    def _wait(self, condition, problem: str) -> None:
        limit = time.monotonic() + START_LIMIT_S
        while not condition():
            if time.monotonic() > limit:
                said = " ".join(
                    (self.folder / f"{name}.out").read_text().strip()[-500:] for name in self.daemons
                )
                raise UserError(
                    problem, said or f"nothing in {START_LIMIT_S:g} s", "read its logs", ENVIRONMENT
                )
            time.sleep(0.05)

    def _clear(self) -> None:
        os.environ.pop("SLURM_CONF", None)
        for daemon in reversed(list(self.daemons.values())):
            end(daemon, patience_s=5.0)
        self.daemons.clear()
        system.end_processes(lambda: system.processes_inside(self.names))
        for name, link in self._links().items():
            # The kernel takes the links of a namespace away some time after it.
            subprocess.run(["ip", "link", "delete", link], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
        subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True, check=False)


def _tool(name: str) -> str:
    found = shutil.which(name)
    assert found, name
    return found
