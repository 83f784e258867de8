"""A results folder with runs of a made-up solver, which is built, and an engine that stands in for the real one."""

import json
import sys
from pathlib import Path

import pytest

from hakaru.facts.programs.leaf import Leaf
from hakaru.facts.records import RecordStore
from hakaru.foretell.forecast.fixtures import campaign, describe
from hakaru.foretell.replay import fake_engine

MACHINE = """
schema = "hakaru/machine/1"
name = "node1"
kind = "measured"
date = "2026"
[processor]
cores = { value = 4, unit = "1", source = "test" }
[compute]
fma_peak = [{ cores = 2, value = 16e9, unit = "flop/s", low = 15e9, high = 17e9, source = "probe a" }]
[memory]
bandwidth = [{ kernel = "triad", cores = 2, value = 20e9, unit = "B/s", low = 19e9, high = 21e9, source = "probe a" }]
[network.core]
latency = { value = 1e-6, unit = "s", low = 0.9e-6, high = 1.2e-6, source = "probe b" }
gap_per_byte = [{ value = 1e-10, unit = "s/B", source = "probe b" }]
"""
PROGRAM = """
import json, sys
n = int(next(word for word in sys.argv if word.startswith("n="))[2:])
ranks = int(sys.argv[sys.argv.index("--ranks") + 1])
if n == 13:
    print("solver: n is 13 (it brings bad luck); choose another", file=sys.stderr)
    sys.exit(2)
work = {"flops": 340.0 * n**3 / ranks, "bytes": 560.0 * n**3 / ranks, "bytes_write_allocate": 0.0}
phases = [{"name": "stencil", "kind": "compute"}, {"name": "exchange", "kind": "communicate"}]
schedule = {"schema": "hakaru/schedule/1", "program": "solver", "ranks": ranks, "phases": phases, "works": [work], "streams": []}
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    json.dump(schedule, file)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    build, results = tmp_path / "build", tmp_path / "results"
    build.mkdir()
    for name, text in (("hakaru_replay", Path(fake_engine.__file__).read_text()), ("solver", PROGRAM)):
        (build / name).write_text(f"#!{sys.executable}\n{text}")
        (build / name).chmod(0o755)
    programs = [
        {"name": "solver", "kind": "app", "path": "solver", "source": "apps/solver", "needs_mpi": True}
    ]
    tools = [{"name": "hakaru_replay", "path": "hakaru_replay"}]
    (build / "programs.json").write_text(json.dumps({"programs": programs, "tools": tools}))
    monkeypatch.setenv("HAKARU_BUILD", str(build))
    monkeypatch.setenv("HAKARU_RESULTS", str(results))
    monkeypatch.setattr(
        Leaf, "work", lambda self, given, ranks=1, threads=1: describe(self.name, given, ranks, threads)
    )
    store = RecordStore(results)
    for one in campaign():
        store.write(one)
    (results / "machine.toml").write_text(MACHINE)
    return results
