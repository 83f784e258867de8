"""Cores and hardware threads of made-up hosts; what the kernel does not say."""

import os
import subprocess
import sys

import pytest

from hakaru.base import topology
from hakaru.base.made_up_hosts import HOSTS, MadeUp, write

SHAPES = {  # cores, hardware threads, those that every core has, sockets, memory nodes
    "two cores": (2, 2, 1, 1, 1),
    "hardware threads": (2, 4, 2, 1, 1),
    "two sockets": (8, 16, 2, 2, 4),
    "half of the cores": (2, 4, 2, 1, 1),
    "offline hardware threads": (4, 5, 1, 1, 1),
    "an offline core": (3, 3, 1, 1, 1),
    "four hardware threads": (2, 8, 4, 1, 1),
}


@pytest.mark.parametrize("name", HOSTS)
def test_cores_are_told_from_hardware_threads(name, tmp_path):
    found = topology.here(write(HOSTS[name], tmp_path))
    shape = (found.cores, found.hardware_threads, found.threads_of_core, found.sockets, found.nodes)
    assert shape == SHAPES[name] and not found.confined


def test_hardware_threads_of_a_core_stay_together(tmp_path):
    assert topology.here(write(HOSTS["hardware threads"], tmp_path / "a")).by_core == [[0, 2], [1, 3]]
    half = topology.here(write(HOSTS["half of the cores"], tmp_path / "b"))
    assert half.by_core == [[0, 4], [1, 5]] and half.numbers == [0, 1, 4, 5]


def test_an_affinity_mask_confines(tmp_path):
    root = write(HOSTS["hardware threads"], tmp_path)
    one = topology.here(root, allowed={0, 2})
    assert (one.cores, one.hardware_threads, one.confined) == (1, 2, True)
    assert not topology.here(root, allowed={0, 1, 2, 3}).confined
    assert topology.here(root, allowed={0, 1}).words() == "2 cores"


def test_what_people_read(tmp_path):
    words = {name: topology.here(write(host, tmp_path / name)).words() for name, host in HOSTS.items()}
    assert words["two cores"] == "2 cores"
    assert words["hardware threads"] == "2 cores with 2 hardware threads each"
    assert words["offline hardware threads"] == "4 cores with 5 hardware threads"
    assert (
        topology.here(write(MadeUp(cores_of_node=1, threads_of_core=1), tmp_path / "1")).words() == "1 core"
    )


def test_a_kernel_that_says_nothing_has_a_core_for_each_processor(tmp_path):
    found = topology.here(tmp_path, allowed={3, 5})
    assert (found.cores, found.numbers, found.confined) == (2, [3, 5], False)


def test_version_1_of_control_groups(tmp_path):
    root = write(MadeUp(cores_of_node=4, threads_of_core=1), tmp_path)
    (root / "proc/mounts").write_text("cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n")
    (root / "proc/self").mkdir()
    (root / "proc/self/cgroup").write_text("7:memory:/job\n6:cpuset:/job\n")
    group = root / "sys/fs/cgroup/cpuset/job"
    group.mkdir(parents=True)
    (group / "cpuset.cpus").write_text("1-2\n")
    assert topology.here(root).numbers == [1, 2]


def test_lists_of_the_kernel():
    assert topology.parse_list("0-2,8\n") == {0, 1, 2, 8} and topology.parse_list("\n") == set()
    with pytest.raises(ValueError, match="invalid literal"):
        topology.parse_list("none")


def test_this_host():
    found = topology.here()
    assert set(found.numbers) == os.sched_getaffinity(0)
    assert 1 <= topology.usable_cores() <= found.hardware_threads
    one = found.numbers[0]
    ask = f"import os; os.sched_setaffinity(0, {{{one}}}); from hakaru.base import topology; t = topology.here(); print(t.cores, t.numbers)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", f"[{one}]"]
