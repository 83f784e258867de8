"""What holds for all tests.

With CI=true a test that skips is an error, unless tests/skips.toml names its reason: a run that lost a build is not green.
Several workers of pytest-xdist share the machine: a file's tests stay on one worker, so that what is made once for the file is made
once, except in files of many tests that make little, or whose tests are long (SPREAD); what there is once on a machine, and measures,
has the mark ``alone`` (ALONE): ``./hakaru test`` runs it afterwards, while nothing else runs.
"""

import os
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ("pytester",)
settings.register_profile("hakaru", deadline=None)  # no test asserts a time
settings.load_profile("hakaru")
LISTED = Path(__file__).with_name("tests") / "skips.toml"
SPREAD = {
    "tests/contract/test_leaves.py",
    "tests/contract/test_schedule.py",
    "tests/contract/test_layouts.py",
    "tests/contract/test_long.py",
}
ALONE = {
    "lab": (
        "python/hakaru/run/lab/",
        "python/hakaru/foretell/accuracy/",
        "python/hakaru/run/batch/test_slurm.py",
    )
}
# Two jobs take turns on the same cores: who waits gives the core away, else each waits for time slices.
SHARED_CORES = {"OMPI_MCA_mpi_yield_when_idle": "1", "OMP_WAIT_POLICY": "passive"}


class Skips:
    """Counts the skips of a run by the entry of the list that allows them; ``strict`` makes the others errors."""

    def __init__(self, entries: list[dict], strict: bool):
        self.entries, self.strict = entries, strict
        self.seen: Counter[str] = Counter()

    def entry(self, reason: str) -> dict | None:
        return next((one for one in self.entries if re.fullmatch(one["reason"], reason)), None)

    def judge(self, report) -> None:
        """Turns a skip that is not listed into a failure."""
        if not self.strict or not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = reason_of(report)
        if self.entry(reason) is None:
            report.outcome = "failed"
            report.longrepr = (
                f"skipped without leave ({reason}); mend its cause, or list the reason in {LISTED}"
            )

    def count(self, report) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            entry = self.entry(reason_of(report))
            self.seen[entry["reason"] if entry else "not listed"] += 1

    def too_many(self) -> list[str]:
        return [
            f"{self.seen[one['reason']]} skips of '{one['reason']}', at most {one['at_most']} are expected"
            for one in self.entries
            if self.strict and self.seen[one["reason"]] > one["at_most"]
        ]


def reason_of(report) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").strip()


SKIPS = pytest.StashKey[Skips]()


def pytest_configure(config: pytest.Config) -> None:
    entries = tomllib.loads(LISTED.read_text())["skip"]
    if hasattr(config, "workerinput"):
        os.environ.update(SHARED_CORES)
    config.stash[SKIPS] = Skips(entries, os.environ.get("CI", "").lower() in ("true", "1"))


def group_of(path: str) -> str | None:
    """Tests of a group run on one worker; None: each where there is room."""
    for name, folders in ALONE.items():
        if path.startswith(folders):
            return name
    return None if path in SPREAD else path


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        group = group_of(item.path.relative_to(config.rootpath).as_posix())
        if group in ALONE:
            item.add_marker(pytest.mark.alone)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """Groups by group_of. (xdist's own loadgroup renames tests to this end, and pytest 9.2 goes by their old names.)"""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid.partition("::")[0]) or nodeid

    return ByGroup(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    item.config.stash[SKIPS].judge(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    report = yield
    collector.config.stash[SKIPS].judge(report)
    return report


@pytest.fixture
def disk(request, tmp_path):
    """A file system of 64 KiB, or of as many as it is parametrized with, for what happens when it is full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    size = f"size={getattr(request, 'param', 64)}k"
    command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


class Counting:
    """Only where results arrive: workers of pytest-xdist hand theirs on."""

    def __init__(self, config: pytest.Config):
        self.skips = config.stash[SKIPS]

    def pytest_runtest_logreport(self, report) -> None:
        self.skips.count(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skips.too_many() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter) -> None:
        for line in self.skips.too_many():
            terminalreporter.line(f"ERROR: {line}", red=True)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Counting(session.config))
