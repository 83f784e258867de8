"""A kit is built and run in a folder of its own, with an empty environment and a short PATH; what it leaves is collected here."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from hakaru.base.paths import build_folder, mpi_flavour, root
from hakaru.facts import programs
from hakaru.facts.records import Record
from hakaru.facts.records.provenance import Provenance
from hakaru.run.kit import make
from hakaru.run.launchers.here import launch_here
from hakaru.run.tracing.testing import FEW_CORES

PROBE = "memory_latency"
PATH = {"PATH": "/usr/bin:/bin"}
HERE = {"BLAS": "none", "HWLOC": "none"}
QUICK = ("SPEED=-O0", *(f"{name}={value}" for name, value in HERE.items()))  # it is the form that is tested


def unpacked(folder: Path, names: list[str] | None) -> Path:
    make.write(folder / "kit.tar.gz", make.contents(names=names))
    subprocess.run(["tar", "-xf", "kit.tar.gz"], cwd=folder, check=True)
    return folder / make.name_of_kit()


def run(kit: Path, *words: str, **variables: str) -> subprocess.CompletedProcess:
    environment = PATH | {"HOME": str(kit.parent)} | FEW_CORES | variables
    return subprocess.run(words, cwd=kit, env=environment, capture_output=True, text=True)


def collected(folder: Path, results: Path) -> subprocess.CompletedProcess:
    words = [sys.executable, "-m", "hakaru", "collect", str(folder), "--results", str(results)]
    return subprocess.run(words, capture_output=True, text=True)


LIBRARIES = [
    one for one in ("openmpi", "mpich") if shutil.which(f"mpicc.{one}") and shutil.which(f"mpirun.{one}")
]


def test_kits_are_tried_with_both_libraries():
    if LIBRARIES == ["openmpi"]:
        pytest.skip("mpich is not installed here")
    assert LIBRARIES == ["openmpi", "mpich"]


@pytest.fixture(scope="module", params=LIBRARIES)
def mpi(request) -> str:
    return request.param


def compilers(mpi: str) -> list[str]:
    return [f"MPICC=mpicc.{mpi}", f"MPICXX=mpicxx.{mpi}"]


@pytest.fixture(scope="module")
def kit(mpi, tmp_path_factory) -> Path:
    folder = unpacked(tmp_path_factory.mktemp(f"kit-{mpi}"), [PROBE])
    done = run(folder, "make", "-j2", *QUICK, *compilers(mpi))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "built: 1 of 1 probes, the tracer" in done.stdout
    assert f"MPI: {mpi}" in done.stdout
    return folder


def shape(node):
    """Names and kinds of a JSON document; of lists, what the first entry is made of."""
    if isinstance(node, dict):
        return {name: shape(child) for name, child in node.items()}
    if isinstance(node, list):
        return [shape(node[0])] if node else []
    return "number" if isinstance(node, int | float) and not isinstance(node, bool) else type(node).__name__


def without_place(record: dict) -> dict:
    """What depends on how it was started, and not on the program."""
    kept = {name: value for name, value in record.items() if name not in ("context", "campaign", "layout")}
    kept["environment"] = {
        name: value for name, value in record["environment"].items() if name != "variables"
    }
    return kept


def test_records_have_the_form_of_the_full_installation(kit, tmp_path):
    done = run(kit, "sh", "probe.sh", "--small", PROBE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{PROBE} (1 rank): done" in done.stdout
    assert not list((kit / "results").glob("context.json"))
    (path,) = (kit / "results" / "records").glob("*.json")
    subprocess.run(
        [
            str(build_folder() / "bin" / PROBE),
            "run",
            "--preset",
            "small",
            "--record",
            str(tmp_path / "own.json"),
        ],
        check=True,
        capture_output=True,
    )
    schema = json.loads((root() / "schema" / "record.schema.json").read_text())
    jsonschema.validate(json.loads(path.read_text()), schema)
    own, its = json.loads((tmp_path / "own.json").read_text()), json.loads(path.read_text())
    assert shape(without_place(its)) == shape(without_place(own))
    assert (
        its["campaign"].startswith("kit-")
        and its["environment"]["compiler"] == own["environment"]["compiler"]
    )
    context = its["context"]
    assert set(Provenance.here().as_dict()) | {"launch", "launch_line", "kit"} == set(context)
    assert context["launch"] == {"launcher": "direct", "ranks": 1, "threads": 1}
    assert context["usable_processors"] == sorted(os.sched_getaffinity(0))

    done = collected(kit, tmp_path / "home")
    assert done.returncode in (0, 4), done.stderr  # 4: the machine was busy
    assert Record.read(tmp_path / "home" / "records" / path.name).ok
    machine = (tmp_path / "home" / "machine.toml").read_text()
    assert "memory.levels" in machine and its["id"] in machine
    again = collected(kit, tmp_path / "home")
    assert "1 record had been collected before" in again.stdout


def test_traces_are_converted_and_summarised_as_those_of_here(kit, mpi, tmp_path):
    source = root() / "native" / "trace" / "preload" / "tests" / "collectives.c"
    program = tmp_path / "program"
    subprocess.run([f"mpicc.{mpi}", str(source), "-o", str(program)], check=True, capture_output=True)
    done = run(kit, f"mpirun.{mpi}", "-n", "2", "./trace", "first", str(program))
    assert done.returncode == 0, done.stderr
    assert run(kit, "make", "pack").returncode == 0
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run(["tar", "-xf", str(kit / "home.tar")], cwd=home, check=True)
    done = collected(home / "results", tmp_path / "here")
    assert done.returncode in (0, 4), done.stderr
    folder = tmp_path / "here" / "traces" / "first"
    assert (folder / "archive" / "traces.otf2").is_file() and (folder / "trace.html").is_file()

    own = tmp_path / "own"
    words = [sys.executable, "-m", "hakaru", "trace", "--no-profile", "--output", str(own), "--"]
    done = subprocess.run(
        [*words, f"mpirun.{mpi}", "-n", "2", str(program)],
        env=os.environ | FEW_CORES,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    summaries = [json.loads((one / "summary.json").read_text()) for one in (folder, own)]
    assert shape(summaries[0]) == shape(summaries[1])

    (home / "results" / "traces" / "first" / "raw" / "rank-0000001.hkr").unlink()
    shutil.rmtree(folder)
    done = collected(home / "results", tmp_path / "here")
    assert done.returncode == 4 and "rank-0000001.hkr was not collected (it did not come home)" in done.stderr
    assert not folder.exists()


@pytest.mark.parametrize(
    "words, said",
    [
        (["sh", "probe.sh", "mesages"], "there is no probe 'mesages'"),
        (["sh", "probe.sh", "--fast"], "there is no option --fast"),
        (["sh", "probe.sh", "--nodes", "x"], "no number of nodes"),
        (["./trace", "a/b", "true"], "'a/b' is no name for a trace"),
        (["./trace", "name"], "no program is named"),
    ],
)
def test_words_that_are_not_understood(kit, words, said):
    done = run(kit, *words)
    assert done.returncode == 2 and said in done.stderr


def test_a_probe_that_leaves_no_record_is_told_at_home(kit, tmp_path):
    shutil.copytree(kit, tmp_path / "kit")
    broken = tmp_path / "kit"
    shutil.rmtree(broken / "results", ignore_errors=True)
    (broken / "bin" / PROBE).write_text("#!/bin/sh\necho gone >&2\nexit 7\n")
    done = run(broken, "sh", "probe.sh")
    assert done.returncode == 4 and "ended with status 7: gone" in done.stdout
    done = collected(broken, tmp_path / "here")
    assert done.returncode == 0 and f"{PROBE}" in done.stdout and " 7\n" in done.stdout


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Path:
    return unpacked(tmp_path_factory.mktemp("fresh"), [PROBE])


def test_without_a_compiler_it_says_what_to_load(fresh, tmp_path):
    for name in ("sh", "make", "rm", "mkdir", "cp", "sed", "awk", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = run(fresh, "make", PATH=str(tmp_path))
    assert done.returncode == 2 and "no C compiler for MPI works here" in done.stderr
    assert "load the modules" in done.stderr


def test_probes_before_make_and_pack_before_probes(fresh):
    done = run(fresh, "sh", "probe.sh")
    assert done.returncode == 4 and "say make first" in done.stderr
    assert "there are no results yet" in run(fresh, "make", "pack").stderr


def test_options_that_a_compiler_does_not_know_are_left_away(mpi, tmp_path):
    """A compiler that stands in for those that are not GCC, and for one whose library has no numbers with a point in <charconv>."""
    kit = unpacked(tmp_path, ["memory_bandwidth"])
    other = tmp_path / "other"
    other.write_text(
        f'#!/bin/sh\ncase "$*" in *distribute-patterns* | *charconv*) exit 1 ;; esac\nexec mpicxx.{mpi} "$@"\n'
    )
    other.chmod(0o755)
    assert run(kit, "sh", "configure.sh", MPICC=f"mpicc.{mpi}", MPICXX=str(other), **HERE).returncode == 0
    settings = (kit / "settings.mk").read_text()
    assert "MISSING := blas hwloc charconv\n" in settings
    told = run(kit, "make", "-n", "objects/probes/memory_bandwidth/kernels.o").stdout
    assert "-fno-builtin" in told and "-falign-loops=64" in told and "distribute-patterns" not in told


def test_an_mpich_that_was_built_without_binding_starts_ranks_unbound(tmp_path):
    """As that of Debian 11: a stand-in ends where it shall bind."""
    kit = unpacked(tmp_path, ["messages"])
    (kit / "settings.mk").write_text(f"CC_OF_MPI := {tmp_path}/mpicc\nMPI_KIND := mpich\n")
    (kit / "bin").mkdir()
    for path, text in (
        (tmp_path / "mpicc", ""),
        (tmp_path / "mpirun", 'case "$*" in *bind-to*) exit 9 ;; esac; echo words "$@"'),
        (kit / "bin" / "messages", ""),
    ):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    done = run(kit, "sh", "probe.sh", "messages")
    assert "messages (2 ranks): done" in done.stdout, done.stdout + done.stderr
    (told,) = (kit / "results" / "logs").glob("*-messages-*.txt")
    assert told.read_text().startswith("words -n 2 -ppn 2 ")


def test_files_that_several_nodes_write_lie_where_the_kit_does(tmp_path):
    """A probe that stands in for ``files`` prints the words that it is given."""
    kit = unpacked(tmp_path, ["files"])
    (kit / "settings.mk").write_text("CC_OF_MPI := cc\nMPI_KIND := other\n")
    (kit / "bin").mkdir()
    program = kit / "bin" / "files"
    program.write_text('#!/bin/sh\n[ "$1" = run ] && echo "$@" || echo \'"name": "folder",\'\n')
    program.chmod(0o755)
    run(kit, "sh", "probe.sh", "--nodes", "2", "files", HAKARU_LAUNCH="env RANKS=%n NODES=%N")
    within, between = sorted(
        one.read_text() for one in (kit / "results" / "logs").iterdir() if one.suffix == ".txt"
    )
    told = [text for text in (within, between) if f"folder={kit}/results" in text]
    assert len(told) == 1, "ranks of one node may use its own disk"


def form(record: Record) -> dict:
    """What a record of a probe tells, whatever its numbers: tables with their columns, phases, metrics, checks (a kit has no Fortran)."""
    return {
        "tables": {one.name: one.columns for one in record.tables},
        "phases": record.phases,
        "metrics": {(one.name, one.unit) for one in record.metrics},
        "checks": {one.name for one in record.checks},
        "environment": {name for name, value in record.as_dict()["environment"].items() if value is not None},
    }


def full(name: str, ranks: int, folder: Path) -> Record:
    """The same probe of the full installation."""
    path, program = folder / f"{name}.json", programs.listed(name)
    launch = launch_here(mpi_flavour() if program.needs_mpi else "direct", ranks, 1)
    words = [str(program.path), "run", "--preset", "small", "--threads", "1", "--record", str(path)]
    subprocess.run(
        launch.command(words), env=os.environ | launch.variables(), check=True, capture_output=True
    )
    return Record.read(path)


def test_every_probe_is_one_for_compilers_of_cxx17(tmp_path):
    kit = unpacked(tmp_path, None)
    sources = sorted(path.relative_to(kit) for path in (kit / "probes").rglob("*.cpp"))
    assert len(sources) > 30
    only_look = ("SPEED=-O0 -fsyntax-only", *(f"{name}={value}" for name, value in HERE.items()))
    words = [f"objects/{path.with_suffix('.o')}" for path in sources]
    done = run(
        kit, "sh", "configure.sh", MPICC=f"mpicc.{LIBRARIES[0]}", MPICXX=f"mpicxx.{LIBRARIES[0]}", **HERE
    )
    assert done.returncode == 0, done.stderr
    done = run(kit, "make", "-k", "-j2", *only_look, *words)
    assert "error:" not in done.stderr and done.returncode == 0, done.stderr[:4000]


@pytest.mark.long
def test_every_probe_of_a_whole_kit(mpi, tmp_path):
    """As on the other machine: the compiler's usual speed, every probe, every record in the form of the full installation."""
    kit = unpacked(tmp_path, None)
    done = run(kit, "make", "-j2", *compilers(mpi))
    assert done.returncode == 0, done.stdout + done.stderr
    left_out = (kit / "left_out.txt").read_text()
    assert "did not compile" not in left_out, "sources that compilers of C++17 do not take"
    done = run(kit, "sh", "probe.sh", "--small")
    assert done.returncode == 0, done.stdout + done.stderr
    its = {one.program: one for one in map(Record.read, (kit / "results" / "records").glob("*.json"))}
    assert all(one.ok for one in its.values())
    if mpi == mpi_flavour():
        for name, one in its.items():
            own, whole = form(one), form(full(name, one.ranks, tmp_path))
            assert own.pop("checks") <= whole.pop("checks") and own == whole, name
    for name in json.loads((kit / "kit.json").read_text())["probes"]:
        assert name in its or f"{name}:" in left_out
    done = collected(kit, tmp_path / "here")
    assert done.returncode in (0, 4) and f"{len(its)} records made" in done.stdout
