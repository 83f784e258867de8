"""Intel MPI's mpirun, which is Hydra with bindings of its own: variables instead of options (Intel MPI Library Developer Reference for Linux,
"Environment Variables for Process Pinning" and "Interoperability with OpenMP API").

A domain is what a rank is bound to: ``core``, or so many processors side by side, which are cores where ``I_MPI_PIN_CELL=core`` says so."""

from hakaru.run.launchers.launch import CYCLIC, NONE, Launch
from hakaru.run.launchers.launcher import cores_of_rank
from hakaru.run.launchers.mpich import Hydra


class IntelMpi(Hydra):
    name = "intelmpi"
    title = "Intel MPI"
    interface = "mpich"
    says = ("Intel(R) MPI",)
    binds = (*Hydra.binds, "-binding")

    def options(self, launch: Launch) -> list[str]:
        words = [] if launch.ranks is None else ["-n", str(launch.ranks)]
        if launch.hosts:
            words += ["-hosts", ",".join(address for address, _ in launch.hosts)]
        if launch.nodes > 1:
            words += ["-ppn", "1" if launch.mapping == CYCLIC else str(launch.ranks_of_node)]
        return words

    def environment(self, launch: Launch) -> dict[str, str]:
        found = dict(launch.settings)
        if launch.binding == NONE:
            return found | {"I_MPI_PIN": "off"}
        cores = cores_of_rank(launch)
        domain = launch.threads if cores is None else cores
        cell = "unit" if cores is None else "core"
        order = "scatter" if launch.sockets else "compact"
        whole = "core" if cores == 1 else f"{domain}:compact"
        return found | {
            "I_MPI_PIN": "on",
            "I_MPI_PIN_CELL": cell,
            "I_MPI_PIN_DOMAIN": whole,
            "I_MPI_PIN_ORDER": order,
        }

    def bindings(self, version: int) -> dict[str, dict[str, str]]:
        return {
            "compact": {"I_MPI_PIN_DOMAIN": "core", "I_MPI_PIN_ORDER": "compact"},
            "scatter": {"I_MPI_PIN_DOMAIN": "core", "I_MPI_PIN_ORDER": "scatter"},
            "none": {"I_MPI_PIN": "off"},
        }


launcher = IntelMpi()
