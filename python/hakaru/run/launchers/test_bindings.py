"""What both MPIs bind on hosts that are not here, through the same files from which ``topology`` knows their cores.

Open MPI prints its map before it starts anything, so that a real launch shows also whether its slots suffice (``--do-not-launch`` knows no
default number of slots); it is ended as soon as the map is there, since the ranks could not be bound on this host. Hydra prints its
bindings with HYDRA_TOPO_DEBUG.
"""

import os
import re
import shutil
import subprocess

import pytest

from hakaru.base import processes, topology
from hakaru.base.errors import UserError
from hakaru.base.made_up_hosts import HOSTS, MadeUp, write
from hakaru.base.topology import Topology
from hakaru.run.launchers import CORES, NONE, Launch
from hakaru.run.launchers.here import launch_here

CASES = [  # host, ranks, threads, hardware threads of a core, cores (in order) that each rank gets
    ("two cores", 2, 1, 1, [[0], [1]]),
    ("hardware threads", 2, 1, 1, [[0], [1]]),
    ("hardware threads", 1, 2, 1, [[0, 1]]),
    ("hardware threads", 4, 1, 2, [[0], [0], [1], [1]]),
    ("hardware threads", 2, 2, 2, [[0], [1]]),
    ("hardware threads", 1, 4, 2, [[0, 1]]),
    ("hardware threads", 1, 3, 2, [[0, 1]]),
    ("two sockets", 8, 1, 1, [[core] for core in range(8)]),
    ("two sockets", 2, 4, 1, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ("two sockets", 4, 4, 2, [[0, 1], [2, 3], [4, 5], [6, 7]]),
    ("two sockets", 16, 1, 2, [[rank // 2] for rank in range(16)]),
    ("half of the cores", 2, 1, 1, [[0], [1]]),
    ("half of the cores", 2, 2, 2, [[0], [1]]),
    ("offline hardware threads", 4, 1, 1, [[0], [1], [2], [3]]),
    ("offline hardware threads", 2, 2, 1, [[0, 1], [2, 3]]),
    ("an offline core", 3, 1, 1, [[0], [1], [2]]),
    ("four hardware threads", 2, 2, 2, [[0], [1]]),
    ("four hardware threads", 8, 1, 4, [[rank // 4] for rank in range(8)]),
]
SHARED = ("four hardware threads", 4, 1, 2, [[0], [0], [1], [1]])  # two ranks on a core that could take four


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    return {name: write(host, tmp_path_factory.mktemp("host")) for name, host in HOSTS.items()}


RULE = "=" * 20  # above and below Open MPI's map


def asked(root, words, **variables):
    """What the launcher says on the host below ``root``, until it ends or has shown its map."""
    fake = {"HWLOC_FSROOT": str(root), "HWLOC_COMPONENTS": "linux,stop", "HWLOC_THISSYSTEM": "1"}
    process = subprocess.Popen(
        words,
        env=os.environ | fake | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said = ""
    for line in process.stdout:
        said += line
        if RULE in line and "Process rank" in said:
            break
    processes.end(process)
    return said


def open_mpi_says(root, launch: Launch) -> list[list[tuple[int, int]]] | str:
    """(core, hardware thread) pairs of each rank as mpirun counts them; its words when it refuses."""
    words = launch.command(["true"])
    said = asked(root, [words[0], "--display-map", *words[1:]], **launch.variables())
    found = re.findall(r"Process rank: (\d+) Bound: (.*)", said)
    if not found:
        return said
    bound = {}
    for rank, text in found:
        places = re.findall(r"core (\d+)\[hwt (\d+)(?:-(\d+))?\]", text)
        bound[int(rank)] = [(int(c), k) for c, a, b in places for k in range(int(a), int(b or a) + 1)]
    return [bound[rank] for rank in sorted(bound)]


def hydra_says(root, launch: Launch) -> list[list[int]]:
    """Processors of each rank, of those below the number of processors: Hydra prints no more."""
    said = asked(root, launch.command(["true"]), HYDRA_TOPO_DEBUG="1", **launch.variables())
    found = {int(rank): text for rank, text in re.findall(r"process (\d+) binding: ([01]+)", said)}
    assert found, said
    return [[at for at, bit in enumerate(found[rank]) if bit == "1"] for rank in sorted(found)]


needs_open_mpi = pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="Open MPI is not installed")
needs_mpich = pytest.mark.skipif(not shutil.which("mpirun.mpich"), reason="MPICH is not installed")


def of_rank(host: Topology, launch: Launch, cores: list[int], rank: int) -> list[int]:
    """Processors that a rank should have: all of its cores, or so many hardware threads in their order."""
    if launch.threads % launch.threads_of_core == 0:
        return [one for core in cores for one in host.by_core[core]]
    if launch.threads == 1:
        return [host.by_core[cores[0]][rank % launch.threads_of_core]]
    return [one for core in host.by_core for one in core][rank * launch.threads :][: launch.threads]


@needs_open_mpi
@pytest.mark.parametrize(("name", "ranks", "threads", "used", "cores"), [*CASES, SHARED])
def test_open_mpi_gives_every_rank_its_cores(roots, name, ranks, threads, used, cores):
    host = topology.here(roots[name])
    launch = launch_here("openmpi", ranks, threads, host=host, threads_of_core=used)
    said = open_mpi_says(roots[name], launch)
    assert not isinstance(said, str), said
    for rank, places in enumerate(said):
        got = sorted(host.by_core[core][thread] for core, thread in places) or host.numbers  # UNBOUND: all
        assert got == sorted(of_rank(host, launch, cores[rank], rank))


@needs_mpich
@pytest.mark.parametrize(("name", "ranks", "threads", "used", "cores"), CASES)
def test_mpich_gives_every_rank_its_cores(roots, name, ranks, threads, used, cores):
    host = topology.here(roots[name])
    launch = launch_here("mpich", ranks, threads, host=host, threads_of_core=used)
    for rank, got in enumerate(hydra_says(roots[name], launch)):
        wanted = sorted(of_rank(host, launch, cores[rank], rank))
        assert got == [one for one in wanted if one < host.hardware_threads]


@needs_open_mpi
def test_logical_processors_taken_for_cores_are_refused(roots):
    """What happened before: as many ranks, or PEs of a rank, as there are hardware threads."""
    root = roots["hardware threads"]
    assert "not enough slots" in open_mpi_says(root, Launch("openmpi", 4))
    assert "no available cpus" in open_mpi_says(root, Launch("openmpi", 1, threads=4))


@pytest.mark.parametrize("name", HOSTS)
def test_what_fits_on_cores_uses_one_hardware_thread_of_each(roots, name):
    host = topology.here(roots[name])
    for ranks, threads in ((host.cores, 1), (1, host.cores)):
        launch = launch_here("openmpi", ranks, threads, host=host)
        assert (launch.threads_of_core, launch.oversubscribed) == (1, False)


def test_hardware_threads_are_used_where_cores_do_not_suffice(roots):
    host = topology.here(roots["hardware threads"])
    assert launch_here("openmpi", 4, host=host).threads_of_core == 2
    assert launch_here("openmpi", 1, 4, host=host).variables()["OMP_PLACES"] == "threads"
    crowded = launch_here("openmpi", 5, host=host)
    assert crowded.oversubscribed and crowded.binding == NONE
    assert "--oversubscribe" in crowded.command(["p"])


def test_uneven_hardware_threads_are_not_counted_on(roots):
    """Three of the four cores have one hardware thread only."""
    host = topology.here(roots["offline hardware threads"])
    assert launch_here("openmpi", 5, host=host).oversubscribed
    with pytest.raises(UserError, match=r"2 hardware threads of a core.*there are 4 cores with 5"):
        launch_here("openmpi", 2, 2, threads_of_core=2, host=host)


def test_what_a_launcher_has_no_words_for_is_refused_or_not_bound(roots):
    """Hydra would put all four ranks on the first core."""
    host = topology.here(roots["four hardware threads"])
    with pytest.raises(
        UserError, match=r"2 of 4 hardware threads of a core with MPICH.*do not fill whole cores"
    ):
        launch_here("mpich", 4, 1, threads_of_core=2, host=host)
    unsaid = launch_here("mpich", 4, 1, host=host)
    assert (unsaid.binding, unsaid.threads_of_core, unsaid.oversubscribed) == (NONE, 2, False)
    assert launch_here("openmpi", 4, 1, host=host).binding == CORES


@needs_mpich
@needs_open_mpi
def test_ranks_on_one_core_would_be_seen(roots):
    """A damaged case: two ranks that should have a core each, on the hardware threads of one."""
    root = roots["hardware threads"]
    host = topology.here(root)
    assert hydra_says(root, Launch("mpich", 2, threads_of_core=2)) == [[one] for one in host.by_core[0]]
    said = open_mpi_says(root, Launch("openmpi", 2, threads_of_core=2))
    assert [core for places in said for core, _ in places] == [0, 0]


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_a_confined_process_binds_nothing(roots, name):
    """Both launchers bind by the whole host and would leave the processors that are ours."""
    host = topology.here(roots["two sockets"], allowed={4, 5, 12, 13})
    launch = launch_here(name, 2, 1, host=host)
    assert launch.binding == NONE and not launch.oversubscribed
    words = launch.command(["p"])
    assert words[words.index("none") - 1].endswith("-bind-to") and "--oversubscribe" not in words
    assert launch_here(name, 2, 2, threads_of_core=2, host=host).variables()["OMP_PROC_BIND"] == "false"


@needs_open_mpi
def test_a_confined_launch_stays_within_its_processors():
    mine = min(os.sched_getaffinity(0))
    host = Topology(tuple(one for one in topology.here().processors if one.number == mine), confined=True)
    command = launch_here("openmpi", 1, host=host).command(["grep", "Cpus_allowed_list", "/proc/self/status"])
    variables = launch_here("openmpi", 1, host=host).variables()
    done = subprocess.run(
        ["taskset", "-c", str(mine), *command],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["Cpus_allowed_list:", str(mine)]


def test_hosts_of_a_test_are_as_they_are_described():
    assert MadeUp(sockets=2, nodes_of_socket=2).cores == 8 and MadeUp(offline=(3,)).online == [0, 1, 2]
