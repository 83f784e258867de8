"""Rooms of python/hakaru import downwards only, and none in a circle: import-linter says so of every import, also of those inside functions."""

import subprocess
import sys
from pathlib import Path

import pytest
import tomli_w

from hakaru.base.files import read_toml
from hakaru.base.paths import root

PACKAGE = root() / "python" / "hakaru"
NOT_PART = ("test_*.py", "fixtures.py", "conftest.py", "testing.py", "fake_*.py")


def modules_of_tests() -> list[str]:
    found = {path for pattern in NOT_PART for path in PACKAGE.rglob(pattern)}
    return sorted(".".join(("hakaru", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in found)


def lint(folder: Path, python_path: Path, change=lambda contract: None) -> subprocess.CompletedProcess:
    """import-linter over the package, imports of tests left out."""
    rules = read_toml(Path(__file__).with_name("floors.toml"))
    for contract in rules["tool"]["importlinter"]["contracts"]:
        contract["ignore_imports"] = [f"{module} -> hakaru.**" for module in modules_of_tests()]
        contract["unmatched_ignore_imports_alerting"] = "none"
        change(contract)
    file = folder / "pyproject.toml"
    file.write_text(tomli_w.dumps(rules))
    line = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", line, "--config", str(file), "--no-cache"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(python_path), "PATH": "/usr/bin:/bin", "COLUMNS": "200", "HOME": str(folder)},
    )


def test_imports_go_down_and_in_no_circle(tmp_path):
    done = lint(tmp_path, root() / "python")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 kept, 0 broken" in done.stdout


def test_an_import_that_goes_up_is_seen(tmp_path):
    def upside_down(contract):
        if "layers" in contract:
            contract["layers"].reverse()

    done = lint(tmp_path, root() / "python", upside_down)
    assert done.returncode == 1 and "BROKEN" in done.stdout


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*/")), ids=lambda path: path.name)
def test_every_floor_is_named(path):
    floors = read_toml(Path(__file__).with_name("floors.toml"))["tool"]["importlinter"]["contracts"][0]
    if (path / "__init__.py").is_file():
        assert path.name in floors["layers"]
