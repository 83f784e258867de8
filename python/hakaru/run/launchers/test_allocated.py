"""Launches within what a batch system granted: shares of nodes, bindings, and what does not fit."""

import pytest

from hakaru.base.errors import UserError
from hakaru.run.launchers.allocated import Granted, launch_granted
from hakaru.run.launchers.launch import CORES, NONE

NODES = Granted("srun", 2, 4, threads_of_core=2)


@pytest.mark.parametrize(
    ("ranks", "threads", "nodes", "used", "binding", "crowded"),
    [
        (4, 1, 1, 1, CORES, False),
        (8, 1, 2, 1, CORES, False),
        (16, 1, 2, 2, CORES, False),
        (2, 8, 2, 2, CORES, False),
        (18, 1, 2, 1, NONE, True),
        (1, 9, 1, 1, NONE, True),
    ],
)
def test_cores_and_hardware_threads_of_each_node(ranks, threads, nodes, used, binding, crowded):
    launch = launch_granted(NODES, ranks, threads, nodes)
    assert (launch.threads_of_core, launch.binding, launch.oversubscribed) == (used, binding, crowded)
    assert (launch.ranks, launch.nodes, launch.hosts) == (ranks, nodes, ())


def test_nothing_is_bound_where_the_site_says_so():
    granted = Granted("openmpi", 2, 4, bound=False)
    assert launch_granted(granted, 2, 1, 2).binding == NONE


def test_hosts_that_a_launcher_has_to_be_told():
    granted = Granted("mpich", 3, 4, hosts=("a", "b", "c"))
    assert launch_granted(granted, 5, 1, 2).hosts == (("a", 3), ("b", 2))
    assert "a:3,b:2" in launch_granted(granted, 5, 1, 2).command(["./p"])


def test_more_nodes_than_granted():
    with pytest.raises(UserError, match="cannot be spread over 3 nodes .*granted 2.*--submit"):
        launch_granted(NODES, 3, 1, 3)
