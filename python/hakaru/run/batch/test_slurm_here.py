"""A Slurm on this machine leaves nothing that the next one would meet."""

import subprocess

import pytest

from hakaru.run.batch import slurm_here
from hakaru.run.batch.slurm_here import SlurmHere

pytestmark = [
    pytest.mark.skipif(slurm_here.why_not() is not None, reason=str(slurm_here.why_not())),
    pytest.mark.alone,
]


def test_networks_follow_each_other_at_once(tmp_path):
    """Links that went with their namespace were there a while longer: "RTNETLINK answers: File exists"."""
    slurm = SlurmHere(tmp_path)
    for _ in range(10):
        try:
            slurm._network()
        finally:
            slurm._clear()
        links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True).stdout
        assert "hkv" not in links and slurm_here.BRIDGE not in links
