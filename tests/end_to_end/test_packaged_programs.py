"""The program files of docs/programs/ on the packages that they are for: measured in a minute, forecast, and held against the run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hakaru.base.paths import root
from hakaru.facts.programs.file import ProgramFile
from hakaru.own.setup.needs import PSEUDOPOTENTIAL

FOLDER = root() / "docs" / "programs"
# What a file needs, and parameters of a run with at least six times the work of the largest that was measured.
PROGRAMS = {
    "lammps-melt": ("lmp", ["n=30"]),
    "pi": ("mpi4py", ["n=150"]),
    "silicon": (PSEUDOPOTENTIAL, ["k=13"]),
    "hpcc": ("hpcc", ["n=2200"]),
}


def there(need: str) -> bool:
    if need == "mpi4py":
        done = subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], capture_output=True)
        return done.returncode == 0
    return Path(need).exists() or shutil.which(need) is not None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_file_is_short_and_sound(path):
    assert len(path.read_text().splitlines()) <= 25
    assert ProgramFile.read(path).name == path.stem
    assert path.stem in PROGRAMS


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_packaged_program_is_measured_and_forecast(name, tmp_path):
    need, larger = PROGRAMS[name]
    if not there(need):
        pytest.skip(f"{need} is not installed")
    environment = os.environ | {
        "PYTHONPATH": str(root() / "python"),
        "HAKARU_RESULTS": str(tmp_path / "results"),
    }

    def hakaru(*words):
        done = subprocess.run(
            [sys.executable, "-m", "hakaru", *words], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    hakaru("measure", str(FOLDER / f"{name}.toml"), "--json")
    made = hakaru("predict", name, *larger, "--json")
    assert made["time_s"]["low"] < made["time_s"]["value"] < made["time_s"]["high"]
    assert made["request"]["slurm"].startswith("--nodes=1") and made["memory"]
    assignments = [word for one in larger for word in ("--size", one)]
    met = hakaru("measure", name, *assignments, "--repeats", "1", "--json")
    measured = met["points"][0]["time_s"]["value"]
    print(f"{name}: {made['time_s']} and {measured} s")
    assert 0.2 < made["time_s"]["value"] / measured < 5.0, "of the same order, on any machine"
