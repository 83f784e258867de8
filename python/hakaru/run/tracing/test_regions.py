"""Regions that programs tell by Kokkos-Tools and by Caliper are phases, with MPI and without."""

import subprocess
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.traces.raw import raw_files
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.tracing.build import sources, watcher
from hakaru.run.tracing.inject import KOKKOS, preloading
from hakaru.run.tracing.testing import items
from hakaru.run.tracing.testing_watched import watched

PROGRAMS = sources() / "watch" / "tests"
STEP = [("begin", "step"), ("begin", "solve"), ("end", "solve"), ("end", "step")]
BEGUN = 1 + 3 * 3  # regions that Caliper hears of: with those of the other thread


def compiled(folder: Path, compiler: str, *options: str) -> Path:
    caliper, program = folder / "libcaliper.so", folder / "regions"
    subprocess.run(["cc", "-shared", "-fPIC", PROGRAMS / "caliper.c", "-o", caliper], check=True)
    words = [
        compiler,
        "-O1",
        *options,
        PROGRAMS / "regions.c",
        "-o",
        program,
        caliper,
        f"-Wl,-rpath,{folder}",
    ]
    subprocess.run([*words, "-lpthread", "-ldl"], check=True)
    return program


def told(mpi, folder: Path, *how: str, **environment: str):
    """Begins and ends of phases in the order of rank 0, and what the program printed."""
    program = compiled(folder, mpi.compiler.path, "-DWITH_MPI")
    done = mpi.launch([str(program), *how], folder / "raw", 1, **environment)
    assert done.returncode == 0, done.stderr
    (file,) = raw_files(folder / "raw")
    strings = file.definitions.strings
    found = [item for _, item in items(file, "phase_begin", "phase_end")]
    return [(one.kind.removeprefix("phase_"), strings[one.request]) for one in found], done.stdout


@pytest.mark.parametrize("variable", KOKKOS)
def test_regions_of_kokkos_are_phases(mpi, tmp_path, variable):
    phases, printed = told(mpi, tmp_path, variable, **{variable: str(mpi.library)})
    assert phases == STEP * 3 and "fences: 0" in printed


def test_regions_of_caliper_are_phases_and_caliper_hears_of_them(mpi, tmp_path):
    phases, printed = told(mpi, tmp_path, "caliper")
    assert phases == STEP * 3 and f"caliper: {BEGUN} begun, {BEGUN} ended" in printed


def test_nothing_is_told_where_kokkos_has_no_tool(mpi, tmp_path):
    assert told(mpi, tmp_path)[0] == []


@pytest.mark.parametrize("how", ["KOKKOS_TOOLS_LIBS", "caliper"])
def test_without_mpi_samples_know_their_region(tmp_path, monkeypatch, how):
    try:
        monkeypatch.setenv(KOKKOS[0], str(watcher()))
    except UserError as error:
        pytest.skip(str(error))
    found = watched([compiled(tmp_path, "cc"), how, "200"], tmp_path).profile
    counts: dict[str, int] = {}
    for stack in found.stacks:
        counts[stack.phase or ""] = counts.get(stack.phase or "", 0) + stack.samples
    assert counts["solve"] == pytest.approx(2 * counts["step"], rel=0.2)
    assert counts["solve"] + counts["step"] > 0.9 * found.samples


def test_a_program_with_a_tool_of_its_own_keeps_it(tmp_path, monkeypatch):
    library = Path("/lib/tracer.so")
    plain = CommandLine.read(["env"])
    assert preloading(library, tmp_path, plain)[KOKKOS[0]] == str(library)
    for own in (
        plain.setting({KOKKOS[1]: "own.so"}),
        CommandLine.read(["env", "--kokkos-tools-library=own.so"]),
    ):
        assert not set(KOKKOS) & set(preloading(library, tmp_path, own))
    monkeypatch.setenv(KOKKOS[0], "own.so")
    assert not set(KOKKOS) & set(preloading(library, tmp_path, plain))
