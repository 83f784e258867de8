"""A run that lost a build is not green: skips without leave are errors with CI=true (conftest.py, skips.toml)."""

import re
import shutil
import tomllib

import pytest

from hakaru.base.files import load_module
from hakaru.base.paths import root

TESTS = """
import pytest

def test_that_passes():
    pass

@pytest.mark.parametrize("number", range(3))
def test_listed(number):
    pytest.skip("the leaf refuses 3 ranks")

{more}
"""
LIST = """
[[skip]]
reason = "the leaf refuses \\\\d+ ranks"
why = "it runs on powers of two"
at_most = {at_most}
"""
UNLISTED = {
    "in a test": "def test_other():\n    pytest.skip('himeno is not built')",
    "in a fixture": "@pytest.fixture\ndef built():\n    pytest.skip('himeno is not built')\n\ndef test_other(built):\n    pass",
    "by a mark": "@pytest.mark.skipif(True, reason='himeno is not built')\ndef test_other():\n    pass",
    "of a module": "pytest.skip('himeno is not built', allow_module_level=True)",
    "an empty list": "@pytest.mark.parametrize('app', [])\ndef test_other(app):\n    pass",
}


def test_what_there_is_once_on_a_machine_is_used_by_one_worker():
    groups = load_module(root() / "conftest.py").group_of
    lab, own = (
        groups("python/hakaru/run/lab/test_lab.py"),
        groups("python/hakaru/foretell/accuracy/test_own.py"),
    )
    assert lab == own == "lab"
    assert groups("tests/contract/test_leaves.py") is None
    assert groups("tests/end_to_end/test_main_job.py") == "tests/end_to_end/test_main_job.py"


def test_every_test_of_a_lab_is_in_its_group():
    """A lab is made by tests that ask ``why_not``: two at once would take each other's away."""
    using = [path for path in (root() / "python").rglob("test_*.py") if "import why_not" in path.read_text()]
    assert using
    conftest = load_module(root() / "conftest.py")
    assert {conftest.group_of(path.relative_to(root()).as_posix()) for path in using} == {"lab"}


def test_tests_of_a_file_share_a_worker_and_what_they_set_up(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (pytester.path / "tests").mkdir()
    (pytester.path / "tests" / "skips.toml").write_text("skip = []")
    shutil.copy(root() / "conftest.py", pytester.path)
    many = "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_one(n): pass\n"
    for name in ("first", "second", "third"):
        (pytester.path / f"test_{name}.py").write_text(many)
    done = pytester.runpytest_subprocess("-p", "xdist", "-n", "2", "--dist", "loadscope", "-v")
    ran = set(re.findall(r"\[(gw\d)\].* (test_\w+)\.py", done.stdout.str()))
    assert len(ran) == 3 and {worker for worker, _ in ran} == {"gw0", "gw1"}


def test_files_that_are_spread_exist():
    assert all((root() / path).is_file() for path in load_module(root() / "conftest.py").SPREAD)


@pytest.fixture
def run(pytester, monkeypatch):
    def run_with(more="", at_most=3, ci="true"):
        monkeypatch.setenv("CI", ci)
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        (pytester.path / "tests").mkdir()
        shutil.copy(root() / "conftest.py", pytester.path)
        (pytester.path / "tests" / "skips.toml").write_text(LIST.format(at_most=at_most))
        (pytester.path / "test_some.py").write_text(TESTS.format(more=more))
        return pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider")

    return run_with


def test_listed_skips_are_allowed(run):
    done = run()
    assert done.ret == 0 and "1 passed, 3 skipped" in done.stdout.str()


@pytest.mark.parametrize("where", UNLISTED)
def test_a_skip_without_leave_is_an_error(where, run):
    done = run(UNLISTED[where])
    assert done.ret != 0 and "skipped without leave" in done.stdout.str()


def test_more_skips_than_expected_are_an_error(run):
    done = run(at_most=2)
    assert done.ret == 1 and "3 skips of" in done.stdout.str()


def test_without_ci_a_skip_is_a_skip(run):
    done = run(UNLISTED["in a test"], 3, "")
    assert done.ret == 0 and "4 skipped" in done.stdout.str()


def test_every_listed_reason_says_why():
    for entry in tomllib.loads((root() / "tests" / "skips.toml").read_text())["skip"]:
        assert set(entry) == {"reason", "why", "at_most"} and len(entry["why"].split()) >= 4, entry
