"""Every test with ``mpi`` runs once for each MPI library that is installed here."""

import shutil

import pytest

from hakaru.run.tracing.testing import Mpi


@pytest.fixture(scope="session", params=["openmpi", "mpich"])
def mpi(request, tmp_path_factory) -> Mpi:
    if not shutil.which(f"mpicc.{request.param}") or not shutil.which(f"mpirun.{request.param}"):
        pytest.skip(f"{request.param} is not installed here")
    return Mpi(request.param, tmp_path_factory.mktemp(request.param))
