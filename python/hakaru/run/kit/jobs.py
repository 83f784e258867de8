"""The job scripts of a kit: of the site's batch system, or of each that hakaru knows."""

import shlex
from pathlib import Path

from hakaru.run.batch.job import Job
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.known import batch_system, known

USUAL = "slurm"
TIME_S = 3600.0
HERE = 'cd "${PBS_O_WORKDIR:-${SLURM_SUBMIT_DIR:-.}}" || exit 4  # the folder of the kit, from where the job is submitted'
TRACED = "mpirun -n 2 ./trace NAME ./program"


def scripts(site: Site | None, nodes: int) -> dict[str, bytes]:
    """``probe.job`` and ``trace.job``; without a site those of Slurm, and of every other system under its name."""
    if site:
        return _of(site, nodes, "")
    found = _of(Site(system=USUAL, cores=2), nodes, "")
    for name in sorted(set(known()) - {USUAL}):
        found |= _of(Site(system=name, cores=2), nodes, f"-{name}")
    return found


def _of(site: Site, nodes: int, ending: str) -> dict[str, bytes]:
    probe = ["sh", "probe.sh", "--nodes", str(nodes)] if nodes > 1 else ["sh", "probe.sh"]
    told = "# What is traced; see the head of the file trace."
    return {
        f"probe{ending}.job": _script(site, "hakaru-probe", nodes, shlex.join(probe)),
        f"trace{ending}.job": _script(site, "hakaru-trace", nodes, f"{told}\n{TRACED}"),
    }


def _script(site: Site, name: str, nodes: int, line: str) -> bytes:
    job = Job(
        name,
        Path("."),
        (),
        nodes=nodes,
        ranks_of_node=min(2, site.cores),
        time_s=min(TIME_S, site.longest_s),
    )
    system = batch_system(site.system)
    lines = [
        "#!/bin/bash",
        *system.directives(job, site),
        "",
        *([system.guard] if system.guard else []),
        HERE,
    ]
    lines += [f"module load {shlex.quote(module)} || exit 4" for module in site.modules]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in site.environment.items()]
    return "\n".join([*lines, line, ""]).encode()
