"""The noun and its JSON form; what each launcher is given; typed lines; a launcher that is added is one file."""

import json
from dataclasses import fields, replace

import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.run import launchers
from hakaru.run.launchers import CYCLIC, NONE, Launch
from hakaru.run.launchers import known as finding
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.known import known, launcher, recognise, title
from hakaru.run.launchers.launch import MEMORY

FULL = Launch(
    "openmpi",
    4,
    2,
    nodes=2,
    threads_of_core=2,
    binding=NONE,
    mapping=CYCLIC,
    sockets=2,
    hosts=(("10.77.0.1", 2), ("10.77.0.2", 2)),
    oversubscribed=True,
    memory="interleave",
    settings=(("pml", "ob1"),),
    environment=(("A", "1"),),
    exported=(("B", "2"),),
    typed=("mpirun", "-n", "4"),
)
SMALL = Launch("mpich", 2)


@pytest.fixture(scope="module")
def of_schema():
    known = json.loads((root() / "schema" / "record.schema.json").read_text())["$defs"]
    return known["launch"] | {"$defs": known}


def options(launch):
    return launch.command(["./p"])[1:-1]


def test_the_json_form_is_read_back():
    for one in (FULL, SMALL, Launch("direct", None, typed=())):
        assert Launch.from_dict(json.loads(json.dumps(one.as_dict()))) == one
    assert SMALL.as_dict() == {"launcher": "mpich", "ranks": 2, "threads": 1}
    for damaged in ({}, [], {"launcher": 3}, {"launcher": "mpich", "colour": "red"}):
        with pytest.raises(ValueError, match="a launch has"):
            Launch.from_dict(damaged)


def test_the_context_of_a_record_holds_it():
    assert Launch.of_context({"launch_line": "...", "launch": FULL.as_dict()}) == FULL
    assert Launch.of_context({"launch_line": "by hand"}) is None


def test_type_and_schema_say_the_same(of_schema):
    assert set(of_schema["properties"]) == {one.name for one in fields(Launch)}
    assert set(FULL.as_dict()) == set(of_schema["properties"]), "every field is tried below"
    assert set(of_schema["required"]) == set(SMALL.as_dict())
    assert set(of_schema["properties"]["memory"]["enum"]) == set(MEMORY)


@pytest.mark.parametrize(
    ("changed", "valid"),
    [
        ({}, True),
        ({"ranks": 0}, False),
        ({"binding": "glue"}, False),
        ({"memory": "far"}, False),
        ({"x": 1}, False),
    ],
)
def test_launches_in_records_are_held_to_the_schema(changed, valid, of_schema):
    from jsonschema import Draft202012Validator

    errors = list(Draft202012Validator(of_schema).iter_errors(FULL.as_dict() | changed))
    assert (errors == []) == valid


def test_open_mpi_counts_cores_or_hardware_threads():
    assert options(Launch("openmpi", 2, 3)) == "-n 2 --map-by ppr:2:node:PE=3 --bind-to core".split()
    whole = Launch("openmpi", 2, 4, threads_of_core=2)
    assert options(whole)[2:] == "--map-by ppr:2:node:PE=2 --bind-to core".split()
    shared = Launch("openmpi", 4, 1, threads_of_core=2)
    assert options(shared)[2:] == "--map-by ppr:2:core --bind-to hwthread".split()
    odd = Launch("openmpi", 2, 3, threads_of_core=2)
    assert options(odd)[2:] == "--use-hwthread-cpus --map-by ppr:2:node:PE=3 --bind-to hwthread".split()
    spread = Launch("openmpi", 8, 1, nodes=2, sockets=2, mapping=CYCLIC)
    assert options(spread)[2:] == "--map-by ppr:2:socket:PE=1 --rank-by node --bind-to core".split()


def test_mpich_and_slurm():
    assert options(Launch("mpich", 2, 3)) == "-n 2 -bind-to core:3".split()
    assert options(Launch("mpich", 4, 1, threads_of_core=2)) == "-n 4 -bind-to hwthread:1".split()
    assert options(Launch("mpich", 8, 1, nodes=2, mapping=CYCLIC))[2:4] == ["-ppn", "1"]
    flat = options(Launch("srun", 8, 2, nodes=2))
    assert flat[:3] == ["--ntasks=8", "--nodes=2", "--cpus-per-task=2"]
    assert flat[-2:] == ["--hint=nomultithread", "--cpu-bind=cores"]
    assert options(Launch("srun", 8, 2, threads_of_core=2))[-2:] == [
        "--hint=multithread",
        "--cpu-bind=threads",
    ]
    assert "--cpu-bind=none" in options(Launch("srun", 8, binding=NONE))


def test_intel_mpi_binds_by_variables():
    launch = Launch("intelmpi", 8, 3, nodes=2)
    assert options(launch) == "-n 8 -ppn 4".split()
    told = launch.variables()
    assert (told["I_MPI_PIN_DOMAIN"], told["I_MPI_PIN_CELL"]) == ("3:compact", "core")
    assert Launch("intelmpi", 8).variables()["I_MPI_PIN_DOMAIN"] == "core"
    odd = Launch("intelmpi", 2, 3, threads_of_core=2).variables()
    assert (odd["I_MPI_PIN_DOMAIN"], odd["I_MPI_PIN_CELL"]) == ("3:compact", "unit")
    assert Launch("intelmpi", 2, binding=NONE).variables()["I_MPI_PIN"] == "off"
    named = replace(launch, hosts=(("a", 4), ("b", 4)))
    assert options(named)[2:4] == ["-hosts", "a,b"], "Intel's Hydra takes the ranks of a host from -ppn"


def test_unbound_ranks_are_spread_over_nodes_that_nobody_lists():
    """With -n alone Open MPI would fill the first node's slots."""
    spread = Launch("openmpi", 4, nodes=2, binding=NONE)
    assert options(spread)[2:] == "--bind-to none --map-by ppr:2:node".split()
    listed = replace(spread, hosts=(("a", 2), ("b", 2)))
    assert options(listed)[-2:] == ["--map-by", "slot"]


@pytest.mark.parametrize("name", ["openmpi", "mpich", "intelmpi", "srun", "direct"])
def test_every_launcher_hands_variables_to_the_ranks(name):
    launch = Launch(name).exporting({"LD_PRELOAD": "/t.so", "B": "2"})
    given = " ".join(
        [*launch.command(["./p"]), *(f"{key}={value}" for key, value in launch.variables().items())]
    )
    assert "LD_PRELOAD=/t.so" in given.replace("LD_PRELOAD /t.so", "LD_PRELOAD=/t.so")
    if name != "direct":
        assert "LD_PRELOAD" not in launch.variables(), "it would get into the launcher"


def test_memory_is_placed_by_numactl():
    assert Launch("direct", memory="interleave").command(["./p"]) == ["numactl", "--interleave=all", "./p"]


def test_several_ranks_need_a_launcher():
    with pytest.raises(UserError, match="cannot use 2 ranks"):
        Launch("direct", 2).command(["./p"])
    with pytest.raises(
        UserError, match=r"no launcher aprun.*known are: direct, intelmpi, mpich, openmpi, srun"
    ):
        launcher("aprun")
    assert title("openmpi") == "Open MPI" and title("srun") == "srun"


def executable(path, text="#!/bin/sh\n"):
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("mpirun (Open MPI) 5.0.3", "openmpi"),
        ("prterun (PRRTE) 3.0.2", "openmpi"),
        ("HYDRA build details:", "mpich"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.9", "intelmpi"),
    ],
)
def test_launchers_are_known_by_what_they_say(said, name, tmp_path):
    mpirun, program = (
        executable(tmp_path / "mpirun", f"#!/bin/sh\necho '{said}'\n"),
        executable(tmp_path / "p"),
    )
    launch, words = recognise([mpirun, "-genv", "A", program, "-np", "3", program, "-n", "9"])
    if name == "openmpi":
        launch, words = recognise([mpirun, "--mca", "a", program, "-np", "3", program, "-n", "9"])
    assert (launch.launcher, launch.ranks, words) == (name, 3, [program, "-n", "9"])
    assert launch.command(words)[0] == mpirun and launch.variables() == {}


def test_ranks_that_a_line_does_not_say_are_unknown(tmp_path):
    srun, program = executable(tmp_path / "srun"), executable(tmp_path / "p")
    assert recognise([srun, program])[0].ranks is None
    assert recognise([srun, "--ntasks=16", program])[0].ranks == 16
    assert recognise([srun, "-n", "{ranks}", program])[0].ranks is None
    assert replace(recognise([srun, program])[0], typed=None).command(["p"])[1].startswith("--cpus-per-task")


def test_a_typed_line_is_run_as_it_was_typed(tmp_path):
    program = executable(tmp_path / "p")
    line = CommandLine.read([program, "a b"])
    assert line.words == [program, "a b"] and line.variables == {} and line.executable.mpi is None
    assert line.setting({"A": "1"}).variables == {"A": "1"}


NEW = """
import re
from hakaru.run.launchers.launcher import Launcher

class Jsrun(Launcher):
    name = "jsrun"
    plain = "jsrun"
    commands = re.compile("jsrun")
    counts = ("-n", "--np")
    valued = {"-n": 1}

    def options(self, launch):
        return ["--np", str(launch.ranks), "--cpu_per_rs", str(launch.threads)]

    def handed_over(self, head, program, variables):
        return [*head, *(f"-E{name}={value}" for name, value in variables.items()), *program]

launcher = Jsrun()
"""


def test_a_launcher_is_one_file(tmp_path, monkeypatch):
    (tmp_path / "jsrun_of_a_test.py").write_text(NEW)
    jsrun, program = executable(tmp_path / "jsrun"), executable(tmp_path / "p")
    monkeypatch.setattr(launchers, "__path__", [*launchers.__path__, str(tmp_path)])
    finding._scanned.cache_clear()
    assert "jsrun" in known()
    assert (
        Launch("jsrun", 4, 2).exporting({"A": "1"}).command(["./p"])[1:]
        == "--np 4 --cpu_per_rs 2 -EA=1 ./p".split()
    )
    assert recognise([jsrun, "-n", "4", program])[0].ranks == 4
    with pytest.raises(UserError, match="there is no launcher"):
        launcher("aprun")
