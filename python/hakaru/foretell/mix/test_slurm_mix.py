"""A mix that is foretold, and run by a real Slurm on two nodes of this machine: thirty jobs of known times."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hakaru.foretell.mix import file
from hakaru.foretell.mix.ask import Wanted, answer_with
from hakaru.foretell.mix.fixtures import foretell
from hakaru.foretell.mix.simulate import POLICIES
from hakaru.run.batch.slurm_here import SlurmHere, why_not
from hakaru.run.lab.system import wait_until

REASON = why_not()
pytestmark = [
    pytest.mark.skipif(REASON is not None, reason=REASON or ""),
    pytest.mark.long,
    pytest.mark.alone,
]
LIMIT_S = 300.0
NODES = 2
JOBS, CALIBRATING = 30, 12
WITHIN = 0.05  # of the makespan


@dataclass(frozen=True)
class Told:
    """A job as it is submitted: Slurm takes limits in whole minutes."""

    nodes: int
    seconds: float
    minutes: int


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with SlurmHere(tmp_path_factory.mktemp("slurm"), nodes=NODES, cpus=1) as made:
        yield made


def makespan(slurm: SlurmHere, folder: Path, jobs: list[Told]) -> tuple[float, list[tuple[float, float]]]:
    return played(slurm, folder, [(job.nodes, job.minutes, f"sleep {job.seconds}") for job in jobs])


def played(
    slurm: SlurmHere, folder: Path, jobs: list[tuple[int, int, str]]
) -> tuple[float, list[tuple[float, float]]]:
    """Of jobs (nodes, minutes, line) that wait behind one that holds all nodes, from its end; and begin and end of each."""
    folder.mkdir()
    submit(
        folder,
        NODES,
        30,
        f"until test -e {folder}/go; do sleep 0.02; done; date +%s.%N > {folder}/gone",
    )
    for number, (nodes, minutes, line) in enumerate(jobs):
        script = f"date +%s.%N > {folder}/b{number}; {line} || exit; date +%s.%N > {folder}/e{number}"
        submit(folder, nodes, minutes, script)
    (folder / "go").touch()
    assert wait_until(lambda: all((folder / f"e{number}").exists() for number in range(len(jobs))), LIMIT_S)
    assert wait_until(lambda: not slurm.told("squeue", "--noheader", "--states=R,PD,CG"), LIMIT_S)
    zero = float((folder / "gone").read_text())
    moments = [
        (float((folder / f"b{number}").read_text()) - zero, float((folder / f"e{number}").read_text()) - zero)
        for number in range(len(jobs))
    ]
    return max(end for _, end in moments), moments


def submit(folder: Path, nodes: int, minutes: int, script: str) -> None:
    words = [
        "sbatch",
        "--exclusive",
        f"--nodes={nodes}",
        f"--time={minutes}",
        f"--output={folder}/out-%j.txt",
    ]
    subprocess.run([*words, "--chdir", str(folder), "--wrap", script], check=True, capture_output=True)


def foretold(tmp_path: Path, jobs: list[Told], overhead_s: float, policy: str):
    """The mix of these jobs, one kind each, so that they stay in their order."""
    text = f'name = "m"\nnodes = {NODES}\ncores = 1\npolicy = "{policy}"\noverhead_s = {overhead_s}\n'
    for job in jobs:
        text += f"[[jobs]]\nusual_s = {job.seconds}\nnodes = {job.nodes}\nlimit_s = {60 * job.minutes}\n"
    (tmp_path / "mix.toml").write_text(text)
    return answer_with(file.read(tmp_path / "mix.toml"), tmp_path, None, foretell, Wanted(more_nodes=0.0))


def mixed(count: int, seed: int, wide: bool = False) -> list[Told]:
    """Lengths are random, so that ends fall anywhere between two looks of Slurm at its queue. ``wide``: all on all nodes."""
    luck = np.random.default_rng(seed)
    return [
        Told(
            NODES if wide else int(luck.integers(1, NODES + 1)),
            round(float(luck.uniform(1.0, 3.0 if wide else 6.0)), 2),
            int(luck.integers(1, 5)),
        )
        for _ in range(count)
    ]


def test_the_makespan_of_thirty_jobs_is_the_one_foretold(slurm, tmp_path):
    """What Slurm adds to a job is measured with others, one after the other on all nodes. Its backfill plans anew at each look,
    so that only the first of the queue is sure of its start, as with EASY."""
    calibrating = mixed(CALIBRATING, seed=1, wide=True)
    took_s, _ = makespan(slurm, tmp_path / "calibrating", calibrating)
    overhead_s = (took_s - sum(job.seconds for job in calibrating)) / CALIBRATING
    jobs = mixed(JOBS, seed=20)
    took_s, moments = makespan(slurm, tmp_path / "mix", jobs)
    print(f"Slurm adds {overhead_s:.3f} s to a job; makespan {took_s:.2f} s")
    expected_s = {}
    for policy in POLICIES:
        found = foretold(tmp_path, jobs, overhead_s, policy)
        expected_s[policy] = found.result.figures.makespan_s.value
        apart = np.abs(found.scenario.played(0).start_s - [begin for begin, _ in moments])
        print(
            f"{policy}: {expected_s[policy]:.2f} s ({expected_s[policy] / took_s - 1:+.1%}), starts differ by {np.median(apart):.2f} s in "
            f"the middle, {apart.max():.2f} s at most"
        )
    assert expected_s["easy"] == pytest.approx(took_s, rel=WITHIN)
    without = foretold(tmp_path, jobs, 0.0, "easy").result.figures.makespan_s.value
    assert without != pytest.approx(took_s, rel=WITHIN), "the check sees an overhead that is forgotten"
