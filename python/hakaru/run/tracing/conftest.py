"""Every test with ``mpi`` runs once for each MPI library that is installed here."""

import shutil

import pytest

from hakaru.run.tracing.testing import Mpi

MADE: dict[str, Mpi] = {}  # pytest ends a fixture of a session whenever its parameter changes: in every file


@pytest.fixture(scope="session", params=["openmpi", "mpich"])
def mpi(request, tmp_path_factory) -> Mpi:
    flavour = request.param
    if not shutil.which(f"mpicc.{flavour}") or not shutil.which(f"mpirun.{flavour}"):
        pytest.skip(f"{flavour} is not installed here")
    if flavour not in MADE:
        MADE[flavour] = Mpi(flavour, tmp_path_factory.mktemp(flavour))
    return MADE[flavour]
