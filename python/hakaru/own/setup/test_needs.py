"""What the system must have: how each thing is found."""

import pytest

from hakaru.own.setup.needs import NEEDS, Need, header, missing, mpi, program, python_module

PURPOSES = (
    "environment",
    "build",
    "openmpi",
    "mpich",
    "lab",
    "slurm",
    "fortran",
    "arrays",
    "test",
    "packaged",
)


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """An otherwise empty PATH; returns a function that puts a program on it."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def add(name, text="exit 0"):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    return add


def test_every_need_names_a_package_and_a_known_purpose():
    assert len({need.name for need in NEEDS}) == len(NEEDS)
    for need in NEEDS:
        assert need.packages
        assert need.purpose in PURPOSES


def test_programs_are_found_on_the_path(tools):
    found = program("cmake", "cmake3")
    assert not found()
    tools("cmake3")
    assert found()


def test_headers_are_found_where_compilers_look(tmp_path, monkeypatch):
    found = header("no_such_library/first.h", "no_such_library/second.h")
    assert not found()
    (tmp_path / "include" / "no_such_library").mkdir(parents=True)
    (tmp_path / "include" / "no_such_library" / "second.h").touch()
    monkeypatch.setenv("CPATH", str(tmp_path / "include"))
    assert found()
    monkeypatch.delenv("CPATH")
    assert not found()
    monkeypatch.setenv("CMAKE_PREFIX_PATH", f"/nowhere:{tmp_path}")
    assert found()


def test_python_modules_are_found():
    assert python_module("json")()
    assert not python_module("no_such_module_anywhere")()


def test_mpi_is_found_under_debians_name_or_by_what_the_wrapper_says(tools):
    open_mpi, mpich = mpi("openmpi", "openmpi"), mpi("mpich", "mpich")
    assert not open_mpi() and not mpich()
    tools("mpicxx", "echo g++ -I/opt/mpich/include -lmpich")
    assert mpich() and not open_mpi()
    tools("mpicxx.openmpi")
    assert open_mpi()


def test_missing_keeps_to_the_purposes_asked_for():
    needs = (
        Need("a", lambda: True, ("pa",)),
        Need("b", lambda: False, ("pb",)),
        Need("c", lambda: False, ("pc",), "mpich"),
        Need("d", lambda: False, ("pd",), "openmpi"),
    )
    assert [need.name for need in missing(("build", "mpich"), needs)] == ["b", "c"]
