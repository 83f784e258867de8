"""The MPI libraries that are present."""

import re

from hakaru.run.doctor.finding import Finding, bad, fine
from hakaru.run.doctor.system import System

title = "MPI"

LAUNCHERS = {"openmpi": ("mpirun.openmpi", "mpirun"), "mpich": ("mpirun.mpich", "mpirun")}
SIGNS = {"openmpi": ("open mpi", "openrte"), "mpich": ("hydra", "mpich")}


def version(system: System, flavour: str) -> str | None:
    """The version of the first launcher that belongs to this library."""
    for name in LAUNCHERS[flavour]:
        if not system.which(name):
            continue
        lines = [
            line.strip() for line in (system.run([name, "--version"]) or "").splitlines() if line.strip()
        ]
        if any(sign in line.lower() for line in lines for sign in SIGNS[flavour]):
            numbers = re.findall(r"\b\d+\.\d+(?:\.\d+)?\b", "\n".join(lines))
            return numbers[0] if numbers else "of unknown version"
    return None


def check(system: System) -> Finding:
    present = {flavour: text for flavour in LAUNCHERS if (text := version(system, flavour))}
    chosen = system.environment.get("HAKARU_MPI", "openmpi")
    if chosen in present:
        return fine(
            ", ".join(f"{flavour} {text}" for flavour, text in present.items()) + f"; {chosen} is used"
        )
    if present:
        other = next(iter(present))
        return bad(
            f"{chosen} is missing; {other} is here", f"HAKARU_MPI={other} ./hakaru ..., or install {chosen}"
        )
    return bad("none found: everything runs on one rank", "hakaru run installs it where it may")
