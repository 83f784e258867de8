"""What an app verifies has the same bits at every layout: sums over ranks and threads are exact (native/parallel/exact_sum.hpp)."""

import json
import re
from dataclasses import dataclass

import pytest
from support import all_programs, verified

from hakaru.base import topology
from hakaru.base.paths import mpi_flavour
from hakaru.facts.programs.leaf import Leaf

APPS = [program for program in all_programs() if program.kind == "app"]
LAYOUTS = [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)]
FEWEST_LAYOUTS = 2


@dataclass(frozen=True)
class Exceptions:
    """Lines ``ranks PATTERN: why`` or ``layout PATTERN: why`` of the app's ``layout_cases.txt``: checks whose value depends on the number
    of ranks, or on that of threads too, by their algorithm."""

    ranks: tuple[re.Pattern[str], ...] = ()
    layout: tuple[re.Pattern[str], ...] = ()

    def compared(self, name: str, same_ranks: bool) -> bool:
        free = self.layout if same_ranks else self.layout + self.ranks
        return not any(pattern.search(name) for pattern in free)


def lines_of(app: Leaf) -> list[re.Match[str]]:
    path = app.source / "layout_cases.txt"
    lines = path.read_text().splitlines() if path.is_file() else []
    return [re.fullmatch(r"(ranks|layout) (.+?): (.+)", line) for line in lines]


def exceptions(app: Leaf) -> Exceptions:
    found = lines_of(app)
    return Exceptions(
        *(
            tuple(re.compile(line[2]) for line in found if line and line[1] == kind)
            for kind in ("ranks", "layout")
        )
    )


def values(app: Leaf, layout: tuple[int, int], factory: pytest.TempPathFactory) -> dict[str, float]:
    """name of the check -> its value."""
    done = verified(app, *layout, factory)
    assert done.exit_code == 0, done.output
    return {check["name"]: check["value"] for check in json.loads(done.record)["checks"]}


def layouts_of(app: Leaf) -> list[tuple[int, int]]:
    """Those that the app can run here."""
    limits = app.describe().limits
    return [
        (ranks, threads)
        for ranks, threads in LAYOUTS
        if limits.exceeded(ranks, threads) is None
        and not app.describe(ranks=ranks, threads=threads, preset="small").evaluated.refused
        and not (mpi_flavour() == "mpich" and ranks * threads > topology.here().hardware_threads)
    ]


def differences(first: dict[str, float], second: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Checks of both whose values differ. Names hold the layout where a check is of one layout only."""
    return {
        name: (first[name], second[name])
        for name in first.keys() & second.keys()
        if first[name] != second[name]
    }


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_what_is_verified_has_the_same_bits_at_every_layout(app, tmp_path_factory):
    layouts = layouts_of(app)
    if len(layouts) < FEWEST_LAYOUTS:
        pytest.skip("the app runs on one layout here")
    free, seen, compared = exceptions(app), {}, 0
    for layout in layouts:
        seen[layout] = values(app, layout, tmp_path_factory)
        for other in (layouts[0], next(one for one in seen if one[0] == layout[0])):
            if other == layout:
                continue
            same_ranks = other[0] == layout[0]
            first, second = (
                {name: value for name, value in seen[which].items() if free.compared(name, same_ranks)}
                for which in (other, layout)
            )
            compared += len(first.keys() & second.keys())
            assert differences(first, second) == {}, f"{layout} against {other}"
    assert compared > 0, "no check is of two layouts"


def test_a_difference_in_the_last_bit_is_seen():
    assert differences({"a": 0.1, "b": 1.0}, {"a": 0.1 + 2**-56, "b": 1.0, "c": 2.0}) == {
        "a": (0.1, 0.1 + 2**-56)
    }


def test_exceptions_are_of_ranks_or_of_layouts():
    free = Exceptions((re.compile("^a"),), (re.compile("^b"),))
    assert [free.compared(name, True) for name in "abc"] == [True, False, True]
    assert [free.compared(name, False) for name in "abc"] == [False, False, True]


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_exceptions_say_why(app):
    assert all(line and len(line[3].split()) >= 4 for line in lines_of(app))
