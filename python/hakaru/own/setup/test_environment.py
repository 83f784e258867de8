"""The locked requirements and what pip says."""

import re
import threading
import tomllib

import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.own.setup import environment
from hakaru.own.setup.environment import PipProgress, explain_pip, locked_count

CHECKOUT_ONLY = pytest.mark.skipif(
    not (root() / "requirements").is_dir(), reason="an installed copy has no lock files"
)
EXTRAS = {"commands": (), "tests": ("test", "lint"), "documents": ("docs",)}
OPTIONAL = {"parquet"}  # nobody is made to install it
each_part = pytest.mark.parametrize("part", EXTRAS)


def lock(part: str) -> str:
    return environment.lock_file(part).read_text()


def name_of(requirement: str) -> str:
    return re.split(r"[<>=~!\[; ]", requirement)[0].lower().replace("_", "-")


def locked_versions(part: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)", lock(part), re.MULTILINE))


@CHECKOUT_ONLY
@each_part
def test_every_locked_requirement_has_an_exact_version_and_a_hash(part):
    entries = re.split(r"\n(?=\S)", lock(part))
    entries = [entry for entry in entries if entry.strip() and not entry.startswith("#")]
    assert len(entries) == locked_count(lock(part)) > 20
    for entry in entries:
        assert re.match(r"[A-Za-z0-9_.-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


@CHECKOUT_ONLY
@each_part
def test_the_lock_names_no_host(part):
    assert not re.search(r"://|--index-url|--extra-index-url|--find-links|--trusted-host", lock(part))


@CHECKOUT_ONLY
@each_part
def test_everything_asked_for_is_locked(part):
    project = tomllib.loads((root() / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert set(extras) == {name for names in EXTRAS.values() for name in names} | OPTIONAL
    asked = project["dependencies"] + [line for name in EXTRAS[part] for line in extras[name]]
    assert {name_of(line) for line in asked} <= set(locked_versions(part))


@CHECKOUT_ONLY
def test_no_package_has_two_versions():
    common = locked_versions("commands")
    for part in ("tests", "documents"):
        versions = locked_versions(part)
        assert {name: versions[name] for name in common} == common


@CHECKOUT_ONLY
def test_the_commands_wait_for_no_test_tool():
    assert not {"pytest", "ruff", "sphinx", "hypothesis"} & set(locked_versions("commands"))


@CHECKOUT_ONLY
def test_formatters_have_one_version_everywhere():
    hooks = re.findall(r'"([a-z-]+)==([^"]+)"', (root() / ".pre-commit-config.yaml").read_text())
    assert {name for name, _ in hooks} == {"ruff", "clang-format"}
    for name, version in hooks:
        assert locked_versions("tests")[name] == version


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "not the one that the lock file",
        ),
        ("WARNING: Retrying ... Temporary failure in name resolution", "cannot be fetched from here"),
        (
            "ERROR: Could not find a version that satisfies the requirement typer==1",
            "cannot be fetched from here",
        ),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("something else", "ended with an error"),
    ],
)
def test_why_pip_failed(output, why):
    assert why in explain_pip(output)[0]


def test_progress_counts_requirements():
    progress = PipProgress(2)
    assert progress("Collecting typer==1.0") == "1/2 typer"
    assert progress("  Downloading typer.whl") is None
    assert progress("Collecting rich==2.0") == "2/2 rich"
    assert progress("Installing collected packages: rich, typer") == "unpacking"


def test_packages_are_fetched_beside_the_environment():
    here, there = threading.Event(), threading.Event()

    def work():
        there.set()
        assert here.wait(20)

    with environment.beside(work):
        assert there.wait(20)
        here.set()


def test_what_fails_beside_is_told():
    def work():
        raise UserError("no packages")

    with pytest.raises(UserError, match="no packages"), environment.beside(work):
        pass
