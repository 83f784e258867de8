"""Slurm's srun, within an allocation. Slurm counts hardware threads as processors, and ``--hint`` says whether they are used."""

import re
import shutil
from collections.abc import Mapping, Sequence

from hakaru.run.launchers.launch import CYCLIC, NONE, Launch
from hakaru.run.launchers.launcher import Launcher


class Srun(Launcher):
    name = "srun"
    title = "Slurm"
    plain = "srun"
    shares_cores = True
    library = False
    commands = re.compile(r"srun([.-].*)?")
    valued = dict.fromkeys(
        "-n -N -c -p -w -x -A -t -J -o -e -D -i -d -C -q -m -B --ntasks --nodes --cpus-per-task --partition --nodelist --exclude --account --time "
        "--job-name --output --error --chdir --mpi --distribution --cpu-bind --mem --hint --ntasks-per-node".split(),
        1,
    )
    counts = ("-n", "--ntasks")
    binds = ("--cpu-bind", "--cpu_bind", "--distribution", "-m", "--hint")

    def executable(self) -> str:
        return shutil.which("srun") or self.plain

    def options(self, launch: Launch) -> list[str]:
        words = [] if launch.ranks is None else [f"--ntasks={launch.ranks}"]
        words += [f"--nodes={launch.nodes}"] if launch.nodes > 1 else []
        words += [f"--nodelist={','.join(address for address, _ in launch.hosts)}"] if launch.hosts else []
        words += [f"--cpus-per-task={launch.threads}"]
        nodes, sockets = (
            "cyclic" if launch.mapping == CYCLIC else "block",
            "cyclic" if launch.sockets else "block",
        )
        words += [f"--distribution={nodes}:{sockets}"]
        if launch.binding == NONE:
            return [*words, *(["--overcommit"] if launch.oversubscribed else []), "--cpu-bind=none"]
        if launch.threads_of_core > 1:
            each = [f"--ntasks-per-core={launch.threads_of_core}"] if launch.threads == 1 else []
            return [*words, *each, "--hint=multithread", "--cpu-bind=threads"]
        return [*words, "--hint=nomultithread", "--cpu-bind=cores"]

    def environment(self, launch: Launch) -> dict[str, str]:
        return dict(launch.settings)

    def handed_over(
        self, head: Sequence[str], program: Sequence[str], variables: Mapping[str, str]
    ) -> list[str]:
        words = list(head)
        if variables:
            assignments = ",".join(f"{name}={value}" for name, value in variables.items())
            said = next((at for at, word in enumerate(words) if word.startswith("--export=")), None)
            if said is None:
                words.insert(1, f"--export=ALL,{assignments}")
            else:
                words[said] += f",{assignments}"
        return [*words, *program]


launcher = Srun()
