"""How ranks are started: the noun ``Launch``, and one file a launcher (Open MPI, MPICH, Slurm's srun, none), found by scanning this folder."""

from hakaru.run.launchers.launch import BLOCK, CORES, CYCLIC, NONE, Launch

__all__ = ["BLOCK", "CORES", "CYCLIC", "NONE", "Launch"]
