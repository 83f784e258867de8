"""Every present and future leaf inherits these tests: the programs that were built, the templates among them."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hakaru import native
from hakaru.launchers import launch
from hakaru.paths import mpi_flavour, root

# Refuse to end in a hang: the longest verification takes seconds.
LIMIT_S = 120


def start(program: native.Program, words: list[str], ranks: int = 1, threads: int = 1, **more) -> subprocess.CompletedProcess:
    """Runs a program on ranks x threads through the launcher that hakaru itself uses."""
    launcher = launch(mpi_flavour(), program.path, native.describe(program.name)["needs_mpi"], ranks, threads)
    return subprocess.run([*launcher.command, *words, "--threads", str(threads)], capture_output=True, text=True, timeout=LIMIT_S,
                          env=os.environ | launcher.environment, **more)


@pytest.fixture(scope="session")
def schema():
    """Validator of one of the JSON Schemas: schema("record")(data) raises when it does not hold."""
    import jsonschema

    def validator(name: str):
        text = (root() / "schema" / f"{name}.schema.json").read_text()
        return jsonschema.Draft202012Validator(json.loads(text)).validate

    return validator


def all_programs() -> list[native.Program]:
    return native.programs(templates=True)


@pytest.fixture(params=all_programs(), ids=lambda program: program.name)
def program(request) -> native.Program:
    return request.param


@pytest.fixture
def mpirun() -> str:
    found = shutil.which(f"mpirun.{mpi_flavour()}") or shutil.which("mpirun")
    assert found, "no MPI launcher"
    return found


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    return tmp_path / "record.json"
