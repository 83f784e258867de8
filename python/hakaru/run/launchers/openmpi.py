"""Open MPI's mpirun, versions 4 and 5: every rank gets as many cores as its threads need; nothing is bound when they do not suffice.

``PE`` counts cores, or hardware threads after ``--use-hwthread-cpus``; so does the number of slots that mpirun gives a host by default.
"""

import os
import re
from collections.abc import Mapping, Sequence

from hakaru.run.launchers.launch import CYCLIC, NONE, Launch
from hakaru.run.launchers.launcher import Launcher, cores_of_rank


class OpenMpi(Launcher):
    name = "openmpi"
    title = "Open MPI"
    shares_cores = True
    commands = re.compile(r"(mpirun|mpiexec|orterun|prterun)([.-].*)?")
    says = ("Open MPI", "OpenRTE", "PRTE", "PRRTE")
    valued = {
        **dict.fromkeys(["--mca", "-mca", "--gmca", "-gmca", "--prtemca", "--pmixmca"], 2),
        **dict.fromkeys(["-x", "-n", "-np", "--np", "-c", "-H", "-host", "--host", "-hostfile"], 1),
        **dict.fromkeys(["--hostfile", "-machinefile", "--machinefile", "-wdir", "--wdir", "-rf"], 1),
        **dict.fromkeys(["--bind-to", "-bind-to", "--map-by", "-map-by", "--rank-by", "--prefix"], 1),
        **dict.fromkeys(["--launch-agent", "-N", "--output-filename", "--report-uri", "--rankfile"], 1),
        **dict.fromkeys(["--cpu-set", "--cpu-list", "--wd", "--output", "--runtime-options"], 1),
    }
    counts = ("-n", "-np", "--np", "-c", "--n")
    binds = (
        "--bind-to",
        "-bind-to",
        "--map-by",
        "-map-by",
        "--rank-by",
        "--cpu-set",
        "--rankfile",
        "-rf",
    )

    def options(self, launch: Launch) -> list[str]:
        words = [word for name, value in launch.settings for word in ("--mca", name, value)]
        words += [] if launch.ranks is None else ["-n", str(launch.ranks)]
        if launch.hosts:
            words += ["--host", ",".join(f"{address}:{slots}" for address, slots in launch.hosts)]
        return words + self.placement(launch)

    def placement(self, launch: Launch) -> list[str]:
        """Where ranks go and what they are bound to."""
        give_way = ["--oversubscribe"] if launch.oversubscribed else []
        if launch.binding == NONE:
            return [*give_way, "--bind-to", "none", *_unbound(launch)]
        if launch.threads == 1 and launch.threads_of_core > 1:
            return ["--map-by", f"ppr:{launch.threads_of_core}:core", "--bind-to", "hwthread"]
        each, where = (
            (launch.ranks_of_node // launch.sockets, "socket")
            if launch.sockets
            else (launch.ranks_of_node, "node")
        )
        cores = cores_of_rank(launch)
        unit = ["--use-hwthread-cpus"] if cores is None else []
        place = f"ppr:{each}:{where}:PE={launch.threads if cores is None else cores}"
        order = ["--rank-by", "node"] if launch.mapping == CYCLIC else []
        return [*unit, "--map-by", place, *order, "--bind-to", "hwthread" if cores is None else "core"]

    def environment(self, launch: Launch) -> dict[str, str]:
        found = {}
        if os.geteuid() == 0:
            found |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return found | ({"OMPI_MCA_mpi_yield_when_idle": "1"} if launch.oversubscribed else {})

    def handed_over(
        self, head: Sequence[str], program: Sequence[str], variables: Mapping[str, str]
    ) -> list[str]:
        """``-x`` belongs to one program of ``mpirun -n 1 a : -n 1 b``."""
        option = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        words = [head[0], *option, *head[1:]]
        for word in program:
            words += [word, *option] if word == ":" else [word]
        return words

    def bindings(self, version: int) -> dict[str, dict[str, str]]:
        bind, place = "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy"
        if version >= 5:
            bind, place = "PRTE_MCA_hwloc_default_binding_policy", "PRTE_MCA_rmaps_default_mapping_policy"
        return {
            "compact": {bind: "core", place: "core"},
            "scatter": {bind: "core", place: "socket" if version < 5 else "package"},
            "none": {bind: "none"},
        }


def _unbound(launch: Launch) -> list[str]:
    """Ranks fill the slots that hosts were given; nodes of a batch system, whose slots are its own, get equal shares."""
    if launch.hosts:
        return ["--map-by", "slot"]
    return ["--map-by", f"ppr:{launch.ranks_of_node}:node"] if launch.nodes > 1 else []


launcher = OpenMpi()
