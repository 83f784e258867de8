"""``pip install .``: the wheel carries the native sources, and the command finds them. No network."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hakaru import __version__
from hakaru.base.paths import build_folder, root
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.fixtures import record
from hakaru.run.kit.testing import kit_results
from hakaru.run.tracing.testing import FEW_CORES

pytestmark = [
    pytest.mark.skipif(
        not (root() / "pyproject.toml").is_file(), reason="an installed copy has no pyproject.toml"
    ),
    pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed"),
]

ASK = """
import json, hakaru.base.paths, hakaru.own.setup.places
print(hakaru.base.paths.root(), hakaru.base.paths.build_folder(), hakaru.own.setup.places.is_installed(), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel built from a copy of the sources (a build leaves files beside them)."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(
        ".git", ".venv", ".hakaru", "build", "hakaru-results", "__pycache__", ".*_cache"
    )
    shutil.copytree(root(), folder / "sources", ignore=ignored)
    for name, text in (("README.md", "# hakaru\n"), ("LICENSE", "Apache License\n")):
        if not (folder / "sources" / name).exists():
            (folder / "sources" / name).write_text(text)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "--quiet",
    ]
    done = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(folder / "sources")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("hakaru-*.whl")
    return built


def test_the_wheel_carries_every_native_source(wheel):
    assert f"-{__version__}-" in wheel.name
    names = set(zipfile.ZipFile(wheel).namelist())
    for top in ("native", "apps", "probes", "cmake", "schema"):
        present = [
            path
            for path in (root() / top).rglob("*")
            if path.suffix in (".cpp", ".hpp", ".cmake", ".json", ".in")
        ]
        for path in present:
            assert f"hakaru/source/{path.relative_to(root())}" in names
    assert {"hakaru/source/CMakeLists.txt", "hakaru/source/CMakePresets.json"} <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_an_installed_copy_builds_into_the_cache(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HAKARU")}
    variables = kept | {"PYTHONPATH": str(tmp_path / "site"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASK], env=variables, capture_output=True, text=True, check=True
    )
    source, build, installed = done.stdout.splitlines()
    assert source == str(tmp_path / "site" / "hakaru" / "source")
    assert build == str(tmp_path / "cache" / "hakaru" / __version__ / "release")
    assert installed == "True"


def test_the_command_of_the_wheel_starts_set_up_first(wheel):
    archive = zipfile.ZipFile(wheel)
    (entry,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
    assert "hakaru = hakaru.start:main" in archive.read(entry).decode()


REPETITION = {"wall_s": 1.0, "rank_s": [1.0], "phases": {}}
PYTHON_ALONE = (
    ["collect", "kit"],
    ["records", "--json"],
    ["machines"],
    ["history", "himeno"],
    ["export", "--format", "csv", "--output", "times.csv"],
    ["report"],
    ["kit", "memory_latency", "--output", "kit.tar.gz"],
)
BUILT_ELSEWHERE = (
    ["predict", "heat", "n=400", "steps=10"],
    ["replay", "schedule:heat,n=64,steps=10", "--ranks", "4", "--machine", "fx1"],
    ["mix", "mix.toml"],
    ["report"],
)


def test_the_python_half_alone_reads_collects_and_reports(wheel, tmp_path):
    """Without a compiler, CMake and MPI: nothing but Python is on PATH."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    kit_results(
        tmp_path / "kit",
        [record("himeno", number, [REPETITION]) for number in range(3)] + [record("x", 9, kind="probe")],
    )
    own = {
        "PYTHONPATH": str(tmp_path / "site"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PATH": "/nowhere",
    }
    for words in PYTHON_ALONE:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "hakaru.start", *words],
            cwd=tmp_path,
            env=own | {"HOME": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    assert not (tmp_path / "cache" / "hakaru").exists(), "something was built"


def test_the_python_half_predicts_and_replays_with_programs_that_were_built_elsewhere(wheel, tmp_path):
    """Their folder is named in HAKARU_BUILD; there is nothing to build with."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    store = RecordStore(tmp_path / "hakaru-results")
    for number, n in enumerate((100, 140, 200, 280)):
        path = tmp_path / f"{number}.json"
        words = [str(build_folder() / "bin" / "heat"), "run", f"n={n}", "steps=10", "--record", str(path)]
        subprocess.run(words, check=True, capture_output=True, env=os.environ | FEW_CORES)
        store.write(Record.read(path))
    (tmp_path / "mix.toml").write_text(
        'name = "m"\nnodes = 2\ncores = 2\n[[jobs]]\nprogram = "heat"\nparameters = { n = 320, steps = 10 }\ncount = 4\n'
    )
    own = {
        "PYTHONPATH": str(tmp_path / "site"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HAKARU_BUILD": str(build_folder()),
        "HOME": str(tmp_path),
        "PATH": "/nowhere",
    }
    for words in BUILT_ELSEWHERE:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "hakaru.start", *words],
            cwd=tmp_path,
            env=own,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    assert not (tmp_path / "cache" / "hakaru").exists(), "something was built"
