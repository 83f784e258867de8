"""A mix of real programs that is foretold from a campaign's records, and then run by a real Slurm on two nodes of this machine."""

from pathlib import Path

import pytest

from hakaru.facts.records import RecordStore
from hakaru.foretell.mix import file, foretold
from hakaru.foretell.mix.ask import Answered, Wanted, ask
from hakaru.foretell.mix.start import NOTHING, Start
from hakaru.foretell.mix.test_slurm_mix import CALIBRATING, NODES, WITHIN, makespan, mixed, played
from hakaru.run.batch import submitting
from hakaru.run.batch.slurm_here import SlurmHere, why_not
from hakaru.run.batch.testing import settled, small_site
from hakaru.run.campaign.execute import prepare
from hakaru.run.campaign.plan import Plan, make_plan, points_of
from hakaru.run.launchers.allocated import Granted, launch_granted

REASON = why_not()
pytestmark = [
    pytest.mark.skipif(REASON is not None, reason=REASON or ""),
    pytest.mark.long,
    pytest.mark.alone,
]
SIZES = {  # what is measured, and what is run between them
    "heat": ("n", (600, 800, 1000, 1200), (700, 900, 1100)),
    "turbulence": ("n", (48, 64, 80, 96), (56, 72, 90)),
}
MORE = {"heat": {"steps": 800}, "turbulence": {"steps": 4}}
LAUNCHES, COUNT = 4, 5
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SITE = small_site("slurm", launcher="srun", partition="main", environment=ROOT, name="lab", longest_s=300.0)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with SlurmHere(tmp_path_factory.mktemp("slurm"), nodes=NODES, cpus=1) as made:
        yield made


def plan(measured: bool) -> Plan:
    """What is measured, or what the mix then runs: sizes between those."""
    runs = [
        {
            "program": name,
            "parameters": {size: list(ran if measured else wanted)} | MORE[name],
            "layouts": ["1x1"],
        }
        for name, (size, ran, wanted) in SIZES.items()
    ]
    return make_plan({"name": "runs", "repeats": LAUNCHES, "most_repeats": LAUNCHES, "runs": runs}, "test")


def measure(folder: Path) -> RecordStore:
    """Records of an array on both nodes at once, as the jobs of the mix will be."""
    store, wanted = RecordStore(folder), plan(measured=True)
    submitting.submit(wanted, SITE, store, print)
    states = settled(store, wanted, limit_s=300.0)
    assert {state.mark.end for state in states} == {"complete"}, [state.words() for state in states]
    return store


def expected(folder: Path, results: Path, overhead_s: float) -> Answered:
    text = f'name = "runs"\nnodes = {NODES}\ncores = 1\noverhead_s = {overhead_s}\n'
    for name, (size, _, wanted) in SIZES.items():
        text += f'[[jobs]]\nprogram = "{name}"\nparameters = {{ {size} = {list(wanted)}'
        text += "".join(f", {key} = {value}" for key, value in MORE[name].items())
        text += f" }}\ncount = {COUNT}\nlimit_s = 120\n"
    (folder / "mix.toml").write_text(text)
    return ask(file.read(folder / "mix.toml"), folder, results, Wanted(more_nodes=0.0))


def lines(store: RecordStore) -> list[str]:
    """In the order of the mix: what a job of this campaign would start, less the record."""
    granted = Granted("srun", 1, 1, 1, (), False)
    found = []
    for point in points_of(plan(measured=False)):
        line = prepare(point, store, None, None, lambda *_: launch_granted(granted, 1, 1, 1)).line
        found += [line] * COUNT
    return found


def test_the_makespan_of_thirty_runs_is_the_one_foretold(slurm, tmp_path, monkeypatch):
    for name, value in ROOT.items():
        monkeypatch.setenv(name, value)
    calibrating = mixed(CALIBRATING, seed=1, wide=True)
    took_s, _ = makespan(slurm, tmp_path / "calibrating", calibrating)
    overhead_s = (took_s - sum(job.seconds for job in calibrating)) / CALIBRATING
    store = measure(tmp_path / "results")
    found = expected(tmp_path, store.folder, overhead_s)
    told = found.result.figures.makespan_s
    took_s, moments = played(slurm, tmp_path / "mix", [(1, 2, line) for line in lines(store)])
    print(
        f"Slurm adds {overhead_s:.3f} s to a job; {told.value:.2f} s ({told.low:.2f} to {told.high:.2f}) foretold"
    )
    print(f"makespan {took_s:.2f} s: {told.value / took_s - 1:+.1%}")
    for number, kind in enumerate(found.result.kinds):
        own = [end - begin for begin, end in moments[number * COUNT : (number + 1) * COUNT]]
        print(
            f"{kind.name}: {kind.run_s.value - overhead_s:.2f} s foretold, {sorted(own)[COUNT // 2]:.2f} s took"
        )
    assert told.value == pytest.approx(took_s, rel=WITHIN)
    monkeypatch.setattr(foretold, "start", lambda *_: Start(NOTHING))
    without = expected(tmp_path, store.folder, overhead_s).result.figures.makespan_s.value
    assert without != pytest.approx(took_s, rel=WITHIN), "the check sees a start that is forgotten"
