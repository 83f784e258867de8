"""What an app verifies has the same bits at every layout: sums over ranks and threads are exact (native/parallel/exact_sum.hpp)."""

import json
import re
from pathlib import Path

import pytest
from support import all_programs, start

from hakaru import native
from hakaru.launchers import usable_cores
from hakaru.paths import mpi_flavour

APPS = [program for program in all_programs() if program.kind == "app"]
LAYOUTS = [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)]
FEWEST_LAYOUTS = 2


def exceptions(app: native.Program) -> list[re.Pattern[str]]:
    """Lines of the app's ``layout_cases.txt``: ``PATTERN: why``, for checks whose value depends on the layout by their algorithm."""
    path = app.source / "layout_cases.txt"
    lines = path.read_text().splitlines() if path.is_file() else []
    return [re.compile(line.partition(": ")[0]) for line in lines if line.strip()]


def values(app: native.Program, layout: tuple[int, int], record: Path) -> dict[str, float]:
    """name of the check -> its value, of those that are to be equal."""
    done = start(app, ["verify", "--preset", "small", "--record", str(record)], *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    free = exceptions(app)
    return {
        check["name"]: check["value"]
        for check in json.loads(record.read_text())["checks"]
        if not any(pattern.search(check["name"]) for pattern in free)
    }


def layouts_of(app: native.Program) -> list[tuple[int, int]]:
    """Those that the app can run here."""
    limits = native.describe(app.name)["limits"]
    return [
        (ranks, threads)
        for ranks, threads in LAYOUTS
        if all(limits[what] is None or count <= limits[what] for what, count in (("ranks", ranks), ("threads", threads)))
        and not native.describe(app.name, ranks=ranks, threads=threads, preset="small")["evaluated"]["refused"]
        and not (mpi_flavour() == "mpich" and ranks * threads > usable_cores())
    ]


def differences(first: dict[str, float], second: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Checks of both whose values differ. Names hold the layout where a check is of one layout only."""
    return {
        name: (first[name], second[name])
        for name in first.keys() & second.keys()
        if first[name] != second[name]
    }


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_what_is_verified_has_the_same_bits_at_every_layout(app, tmp_path):
    layouts = layouts_of(app)
    if len(layouts) < FEWEST_LAYOUTS:
        pytest.skip("the app runs on one layout here")
    first = values(app, layouts[0], tmp_path / "first.json")
    for number, layout in enumerate(layouts[1:]):
        second = values(app, layout, tmp_path / f"{number}.json")
        assert first.keys() & second.keys(), "no check is of both layouts"
        assert differences(first, second) == {}, f"{layout} against {layouts[0]}"


def test_a_difference_in_the_last_bit_is_seen():
    assert differences({"a": 0.1, "b": 1.0}, {"a": 0.1 + 2**-56, "b": 1.0, "c": 2.0}) == {
        "a": (0.1, 0.1 + 2**-56)
    }


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_exceptions_say_why(app):
    path = app.source / "layout_cases.txt"
    for line in path.read_text().splitlines() if path.is_file() else []:
        pattern, _, reason = line.partition(": ")
        assert pattern and len(reason.split()) >= 4, line
