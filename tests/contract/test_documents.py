"""The documents are true: every folder is on the map, every command of the README exists, nothing names a machine."""

import re
import subprocess
import sys

import pytest

from hakaru.base.paths import root

pytestmark = pytest.mark.skipif(
    not (root() / "ARCHITECTURE.md").is_file(), reason="an installed package has no documents"
)


def folders() -> list[str]:
    """Top-level folders and the packages of python/hakaru and native that hold tracked kinds of files."""
    ignored = {"build", "hakaru-results", "dist", "__pycache__"}
    top = [
        path
        for path in root().iterdir()
        if path.is_dir() and not path.name.startswith(".") and path.name not in ignored
    ]
    nested = [
        path
        for parent in ("native", "python/hakaru")
        for path in (root() / parent).iterdir()
        if path.is_dir() and path.name not in ignored and path.name != "source"
    ]
    plain = [path for path in top if path.name not in ("native", "python")]
    return sorted(f"{path.relative_to(root())}/" for path in plain + nested if any(path.iterdir()))


@pytest.mark.parametrize("folder", folders())
def test_every_folder_is_on_the_map(folder):
    assert f"`{folder}`" in (root() / "ARCHITECTURE.md").read_text(), (
        f"ARCHITECTURE.md does not name {folder}"
    )


def test_the_map_names_no_folder_that_is_gone():
    table = (root() / "ARCHITECTURE.md").read_text()
    for name in re.findall(r"^\| `([^`]+/)` \|", table, re.MULTILINE):
        assert (root() / name).is_dir(), f"ARCHITECTURE.md names {name}, which does not exist"


def readme_commands() -> list[str]:
    text = (root() / "README.md").read_text()
    return sorted(set(re.findall(r"^\./hakaru ([a-z]+)", text, re.MULTILINE)))


@pytest.mark.parametrize("command", readme_commands() if (root() / "README.md").is_file() else [])
def test_commands_of_the_readme_exist(command):
    done = subprocess.run(
        [sys.executable, "-m", "hakaru", command, "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_readme_starts_with_the_two_commands():
    first_screen = "\n".join((root() / "README.md").read_text().splitlines()[:40])
    for expected in ("./hakaru run", "./hakaru test", "ARCHITECTURE.md", "CONTRIBUTING.md"):
        assert expected in first_screen
