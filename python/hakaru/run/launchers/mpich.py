"""Hydra, the launcher of MPICH: every rank gets as many cores as its threads need; nothing is bound when they do not suffice."""

import re
from collections.abc import Mapping, Sequence

from hakaru.run.launchers.launch import CYCLIC, NONE, Launch
from hakaru.run.launchers.launcher import Launcher, cores_of_rank


class Hydra(Launcher):
    name = "mpich"
    title = "MPICH"
    commands = re.compile(r"(mpirun|mpiexec)([.-].*)?")
    says = ("HYDRA", "MPICH")
    valued = {
        **dict.fromkeys(["-genv", "-env"], 2),
        **dict.fromkeys(["-n", "-np", "-f", "-host", "-hosts", "-hostfile", "-machinefile", "-wdir"], 1),
        **dict.fromkeys(["-rmk", "-launcher", "-launcher-exec", "-iface", "-ppn", "-perhost", "-bind-to"], 1),
        **dict.fromkeys(["-map-by", "-membind", "-genvlist", "-envlist", "-outfile-pattern", "-usize"], 1),
    }
    counts = ("-n", "-np")
    binds = ("--bind-to", "-bind-to", "--map-by", "-map-by")

    def options(self, launch: Launch) -> list[str]:
        words = [] if launch.ranks is None else ["-n", str(launch.ranks)]
        if launch.hosts:
            words += ["-hosts", ",".join(f"{address}:{slots}" for address, slots in launch.hosts)]
        if launch.nodes > 1:
            words += ["-ppn", "1" if launch.mapping == CYCLIC else str(launch.ranks_of_node)]
        if launch.binding == NONE:
            return [*words, "-bind-to", "none"]
        cores = cores_of_rank(launch)
        unit = f"hwthread:{launch.threads}" if cores is None else f"core:{cores}"
        return [*words, "-bind-to", unit, *(["-map-by", "socket"] if launch.sockets else [])]

    def environment(self, launch: Launch) -> dict[str, str]:
        return dict(launch.settings)  # MPICH takes its parameters from the environment

    def handed_over(
        self, head: Sequence[str], program: Sequence[str], variables: Mapping[str, str]
    ) -> list[str]:
        option = [word for name, value in variables.items() for word in ("-genv", name, value)]
        return [head[0], *option, *head[1:], *program]

    def bindings(self, version: int) -> dict[str, dict[str, str]]:
        return {name: {"HYDRA_BINDING": name} for name in ("core", "socket", "none")}


launcher = Hydra()
