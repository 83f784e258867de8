"""Launch lines are understood, and the tracer gets to every rank."""

from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.run.launchers import Launch
from hakaru.run.launchers import executable as files
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.tracing.build import find_compiler
from hakaru.run.tracing.inject import inject, understand
from hakaru.run.tracing.run import run, trace_folder, tracer_for

SAYS = {"openmpi": "mpirun (Open MPI) 4.1.4", "mpich": "HYDRA build details:", "other": "launcher of nobody"}


def executable(path: Path, text: str = "#!/bin/sh\n") -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def launcher(tmp_path):
    return lambda kind: executable(tmp_path / "mpirun", f"#!/bin/sh\necho '{SAYS[kind]}'\n")


@pytest.fixture(autouse=True)
def with_a_tool_for_kokkos(monkeypatch):
    """So lines are not made longer by ours (test_regions.py)."""
    monkeypatch.setenv("KOKKOS_TOOLS_LIBS", "own.so")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """An executable that is taken for one linked with Open MPI."""
    path = executable(tmp_path / "program")
    real = files._linked_mpi
    monkeypatch.setattr(files, "_linked_mpi", lambda p: Path("/l/libmpi.so.40") if p == path else real(p))
    monkeypatch.setattr(files, "flavour_of_library", lambda path: "openmpi")
    return path


def injected(words: list[str], folder: Path) -> CommandLine:
    return inject(understand(words), Path("/t/tracer.so"), folder)


def test_open_mpi_gets_the_variables_for_every_program(launcher, program, tmp_path):
    mpirun = launcher("openmpi")
    line = injected([mpirun, "-n", "1", program, "a", ":", "-n", "2", program], tmp_path)
    option = ["-x", "LD_PRELOAD=/t/tracer.so", "-x", f"HAKARU_TRACE_FOLDER={tmp_path}"]
    assert line.words == [mpirun, *option, "-n", "1", program, "a", ":", *option, "-n", "2", program]
    assert line.flavour == "openmpi" and line.variables == {}


def test_values_of_options_are_not_taken_for_the_program(launcher, program, tmp_path):
    agent = executable(tmp_path / "agent")
    line = understand([launcher("openmpi"), "--mca", "plm_rsh_agent", agent, "-H", "a:1", program, agent])
    assert line.executable.path == program


def test_a_wrapper_before_the_program_is_passed_over(launcher, program, tmp_path):
    wrapper = executable(tmp_path / "numactl")
    line = understand([launcher("openmpi"), "-n", "2", wrapper, "--cpunodebind", "0", program])
    assert line.executable.path == program


def test_mpich_gets_global_variables(launcher, program, tmp_path, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", "/other.so")
    mpirun = launcher("mpich")
    line = injected([mpirun, "-n", "2", program], tmp_path)
    assert line.words[:4] == [mpirun, "-genv", "LD_PRELOAD", "/t/tracer.so:/other.so"]
    assert line.words[4:] == ["-genv", "HAKARU_TRACE_FOLDER", str(tmp_path), "-n", "2", program]


def test_slurm_exports_the_variables(program, tmp_path, monkeypatch):
    srun = executable(tmp_path / "srun")
    line = injected([srun, "-n", "2", program], tmp_path)
    assert line.words[1] == f"--export=ALL,LD_PRELOAD=/t/tracer.so,HAKARU_TRACE_FOLDER={tmp_path}"
    line = injected([srun, "--export=ALL,A=1", "-n", "2", program], tmp_path)
    assert line.words[1].startswith("--export=ALL,A=1,LD_PRELOAD=")


def test_a_program_alone_gets_an_environment(program, tmp_path):
    line = injected([program, "x"], tmp_path)
    assert line.words == [program, "x"] and line.variables["LD_PRELOAD"] == "/t/tracer.so"


def test_errors_say_what_to_do(launcher, tmp_path):
    with pytest.raises(UserError, match="nothing to trace"):
        understand([])
    with pytest.raises(UserError, match="was not found"):
        understand(["no-such-launcher", "-n", "2", "x"])
    with pytest.raises(UserError, match="starts no program"):
        understand([launcher("openmpi"), "-n", "2", "./missing"])
    with pytest.raises(UserError, match="does not know"):
        understand([launcher("other"), "-n", "2", "sh"])


def test_a_missing_compiler_names_the_packages(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="sudo apt-get install mpich libmpich-dev gcc"):
        find_compiler("mpich")
    executable(tmp_path / "mpicc", "#!/bin/sh\nexit 1\n")
    with pytest.raises(UserError, match="libopenmpi-dev"):
        find_compiler("openmpi", beside=tmp_path)


def test_a_launcher_of_another_library_is_refused(launcher, program):
    with pytest.raises(UserError, match="use mpirun.openmpi"):
        tracer_for(understand([launcher("mpich"), "-n", "2", program]))


def test_static_mpi_is_refused(launcher, tmp_path):
    static = tmp_path / "static"
    static.write_bytes(b"\x7fELF" + b"\0" * 100 + b"\0PMPI_Init\0")
    static.chmod(0o755)
    with pytest.raises(UserError, match="statically"):
        understand([launcher("openmpi"), "-n", "2", str(static)])


def test_programs_without_mpi_are_seen():
    assert files.inspect_program("ls").mpi is None and not files.inspect_program("ls").static


def test_the_exit_status_is_the_programs(tmp_path):
    def status(script: str) -> int:
        return run(CommandLine(Launch("direct", typed=()), ("sh", "-c", script)))

    assert status("exit 7") == 7
    assert status("kill -9 $$") == 137


def test_a_folder_with_files_is_refused(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("")
    with pytest.raises(UserError, match="is there already"):
        trace_folder(tmp_path / "there", "program")
    with pytest.raises(UserError, match="cannot be made"):
        trace_folder(tmp_path / "there" / "file" / "below", "program")
    assert trace_folder(tmp_path / "new", "program").raw.is_dir()
