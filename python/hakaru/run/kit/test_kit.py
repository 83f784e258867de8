"""What a kit holds, and the wrappers that awk writes."""

import io
import shutil
import subprocess
import tarfile

import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.own.setup.targets import leaves
from hakaru.run.batch.site import Site
from hakaru.run.kit import bundled, make, sources
from hakaru.run.kit.calls import calls_text
from hakaru.run.kit.testing import generator
from hakaru.run.tracing.build import inspect

AWK = root() / "native" / "trace" / "preload" / "generate.awk"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return make.contents()


def test_the_kit_holds_every_probe_and_every_source_that_it_includes(files):
    for name in leaves("probe"):
        assert f"probes/{name}/probe.cpp" in files
    for name, content in files.items():
        if name.startswith(("native/", "probes/")):
            for included in sources.INCLUDE.findall(content.decode()):
                assert included in files or included == sources.MADE, f"{name} includes {included}"
            for included in bundled.INCLUDE.findall(content.decode()):
                if included.startswith(("fmt/", "nlohmann/", "hwy/")):
                    assert f"include/{included}" in files, f"{name} includes {included}"
    assert {
        "Makefile",
        "README",
        "configure.sh",
        "probe.sh",
        "trace",
        "probe.job",
        "sources.mk",
        "kit.json",
    } <= set(files)


def test_the_archive_is_small_and_the_same_files_make_the_same_bytes(files, tmp_path):
    size = make.write(tmp_path / "one.tar.gz", files)
    make.write(tmp_path / "two.tar.gz", dict(reversed(files.items())))
    data = (tmp_path / "one.tar.gz").read_bytes()
    assert size == len(data) < make.MOST_BYTES and data == (tmp_path / "two.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        modes = {entry.name.partition("/")[2]: entry.mode for entry in archive}
    assert modes["trace"] == 0o755 and modes["README"] == 0o644


def test_a_kit_that_grows_too_large_is_refused_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "MOST_BYTES", 100)
    with pytest.raises(UserError, match="are the most"):
        make.write(tmp_path / "kit.tar.gz", {"a": bytes(range(256)) * 4})
    assert not list(tmp_path.iterdir())


def test_a_kit_of_some_probes(files):
    few = make.contents(names=["memory_latency"])
    assert b"PROBES := memory_latency\n" in few["sources.mk"] and "probes/messages/probe.cpp" not in few
    with pytest.raises(UserError, match="no probe 'mesages'"):
        make.contents(names=["mesages"])


def test_a_probe_that_lacks_something_is_left_out_by_name_and_reason(files, tmp_path):
    rules = files["sources.mk"].decode()
    assert "NEEDS_charconv := formatted_io\n" in rules and "NEEDS_hwloc := binding sharing\n" in rules
    (tmp_path / "report.sh").write_bytes(files["report.sh"])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "noise").write_text("")
    (tmp_path / "bin" / "noise").chmod(0o755)
    words = [
        "sh",
        "report.sh",
        "binding formatted_io noise files",
        " hwloc charconv",
        "hwloc:binding charconv:formatted_io",
    ]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    left_out = dict(line.split(": ", 1) for line in (tmp_path / "left_out.txt").read_text().splitlines())
    assert left_out["binding"] == "needs hwloc, which is not here" and "noise" not in left_out
    assert "GCC 11 and later" in left_out["formatted_io"] and "did not compile" in left_out["files"]


def test_missing_headers_are_told_with_the_package(monkeypatch):
    monkeypatch.setattr(bundled, "include_folders", lambda: [])
    with pytest.raises(UserError, match="libfmt-dev"):
        make.contents()


def test_jobs_of_a_site_and_of_every_system(files):
    assert (
        b"#SBATCH" in files["probe.job"]
        and b"#PJM" in files["probe-pjm.job"]
        and b"#PBS" in files["trace-pbs.job"]
    )
    site = Site(
        system="pjm", cores=48, account="abc", modules=("mpi/4",), environment={"A": "b c"}, longest_s=600
    )
    job = make.contents(site, 2)["probe.job"].decode()
    for line in (
        '#PJM -L "node=2"',
        "#PJM -g abc",
        "module load mpi/4 || exit 4",
        "export A='b c'",
        "sh probe.sh --nodes 2",
    ):
        assert line in job.splitlines(), line
    assert '#PJM -L "elapse=00:10:00"' in job


@pytest.fixture(params=[one for one in ("mpicc.openmpi", "mpicc.mpich") if shutil.which(one)])
def header(request) -> str:
    return inspect(request.param).header


def by_awk(header: str, folder, table: str | None = None) -> subprocess.CompletedProcess:
    (folder / "mpi.i").write_text(header)
    (folder / "calls.txt").write_text(table or calls_text())
    words = [
        "awk",
        "-v",
        f"folder={folder}",
        "-f",
        str(AWK),
        str(folder / "calls.txt"),
        str(folder / "mpi.i"),
    ]
    return subprocess.run(words, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})


def test_awk_writes_what_python_writes(header, tmp_path, capsys):
    done = by_awk(header, tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "python").mkdir()
    assert generator().main([str(tmp_path / "mpi.i"), str(tmp_path / "python")]) == 0
    assert capsys.readouterr().out == done.stdout
    for name in ("real.h", "wrappers.c"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "python" / name).read_bytes()


DECLARED = """int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) __attribute__((visibility("default")));
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
typedef int (MPI_Copy_function)(MPI_Comm, int);
int MPI_Later(int (*made)[], MPI_Comm comm); int PMPI_Later(int (*made)[], MPI_Comm comm);
"""


def test_awk_counts_calls_that_are_not_in_the_table(tmp_path):
    done = by_awk(DECLARED, tmp_path)
    assert done.stdout == "1 calls covered, 1 only counted: MPI_Later\n"
    assert "EXPORT int MPI_Later(int (*made)[], MPI_Comm comm) {" in (tmp_path / "wrappers.c").read_text()


def test_awk_counts_a_call_whose_parameters_are_not_those_of_the_table(tmp_path):
    fewer = "int MPI_Barrier(MPI_Comm comm, int more); int PMPI_Barrier(MPI_Comm comm, int more);\n"
    done = by_awk(DECLARED + fewer, tmp_path)
    assert (
        "only counted: MPI_Barrier" in done.stderr and "2 only counted: MPI_Barrier, MPI_Later" in done.stdout
    )


def test_awk_refuses_a_header_without_mpi(tmp_path):
    done = by_awk("int f(void);\n", tmp_path)
    assert done.returncode == 2 and "declares no MPI functions" in done.stderr
