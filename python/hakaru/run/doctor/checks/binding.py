"""Where the MPI library puts ranks when it is not told."""

from hakaru.run.doctor.finding import Finding, bad, fine
from hakaru.run.doctor.system import System

title = "MPI binding"

POLICIES = ("OMPI_MCA_hwloc_base_binding_policy", "PRTE_MCA_hwloc_default_binding_policy", "HYDRA_BINDING")
OPEN_MP = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")


def check(system: System) -> Finding:
    chosen = [f"{name}={system.environment[name]}" for name in POLICIES if name in system.environment]
    threads = [f"{name}={system.environment[name]}" for name in OPEN_MP if name in system.environment]
    if threads:
        return bad(
            f"this shell sets {', '.join(threads)}: all ranks may pin to the same cores",
            "unset it; records say where every thread really was",
        )
    if chosen:
        return fine(f"this shell chooses: {', '.join(chosen)}")
    if system.environment.get("HAKARU_MPI", "openmpi") == "mpich":
        return bad(
            "MPICH binds nothing: ranks wander",
            "hakaru binds itself; your own mpirun needs -bind-to core:THREADS",
        )
    return bad(
        "Open MPI gives a rank one core, for all its threads",
        "hakaru binds itself; your own mpirun needs --map-by slot:PE=THREADS",
    )
