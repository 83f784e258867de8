"""The loop in every language and mode has the exact residual, a damaged one is seen; rules are asked of published tables and of made-up ones."""

import math
from pathlib import Path

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers, load
from hakaru.studies.analyses import part
from hakaru.studies.conclusions import FAILS, HOLDS

FOLDER = Path(__file__).parent
columns, exact, rules, variants = (part(FOLDER, name) for name in ("columns", "exact", "rules", "variants"))
STUDY = load("himeno")
SETTINGS, RUN = STUDY.settings, STUDY.settings.trial


def stepped(grid, iterations):
    """The residual by plain steps in double precision."""
    nx, ny, nz = grid
    p = np.zeros((nz, ny, nx))
    p += ((np.arange(nz) / (nz - 1)) ** 2)[:, None, None]
    core = (slice(1, -1),) * 3
    for _ in range(iterations):
        around = p[2:, 1:-1, 1:-1] + p[:-2, 1:-1, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, :-2, 1:-1]
        around = around + p[1:-1, 1:-1, 2:] + p[1:-1, 1:-1, :-2]
        change = around / 6 - p[core]
        p[core] += exact.OMEGA * change
    return float((change**2).sum())


@pytest.mark.parametrize("iterations", [1, 3, 10])
def test_the_closed_form_is_what_steps_give(iterations):
    for grid in ((9, 6, 7), (64, 32, 32)):
        assert exact.gosa(grid, iterations) == pytest.approx(stepped(grid, iterations), rel=1e-9)


def test_the_closed_form_has_the_known_residuals():
    """Computed independently in double precision, as in apps/himeno."""
    known = {"XS": 6.229342509e-3, "S": 3.295447663e-3, "M": 1.692173784e-3}
    for size, value in known.items():
        assert exact.gosa(SETTINGS.grids[size], 3) == pytest.approx(value, rel=1e-9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def drivers(folder):
    return {one: variants.driver(folder, one) for one in variants.TYPES}


@pytest.fixture(scope="module")
def built(folder, drivers):
    paths, failed = compilers.each(
        list(variants.variants(RUN)), lambda one: variants.build(one, SETTINGS, folder, drivers)
    )
    assert not failed
    return paths


def test_every_mode_has_the_exact_residual(built):
    right, wrong = variants.checked(built, SETTINGS)
    assert right == built and not wrong
    assert {variants.SCALAR, variants.DOUBLE} <= {one.mode for one in built}


@pytest.mark.parametrize(
    ("old", "new"),
    [("c[1][k][j][i] * p[k][j - 1][i]", "c[1][k][j][i] * p[k][j][i]"), ("(REAL)0.8", "(REAL)0.81")],
    ids=["a neighbour", "the damping"],
)
def test_a_damaged_loop_is_seen(built, folder, drivers, tmp_path, monkeypatch, old, new):
    text = (variants.FOLDER / "jacobi.c").read_text()
    assert old in text
    (tmp_path / "jacobi.c").write_text(text.replace(old, new))
    own = next(one for one in built if one.compiler.language == "c" and one.mode == variants.DOUBLE)
    monkeypatch.setattr(variants, "FOLDER", tmp_path)
    damaged = variants.build(own, SETTINGS, folder, drivers)
    right, wrong = variants.checked(built | {own: damaged}, SETTINGS)
    assert own not in right and "computes something else" in str(wrong[own])


def test_programs_and_launches_take_turns(built):
    some = {one: path for one, path in built.items() if one.mode in (variants.SCALAR, variants.COPIES)}
    found = variants.timed(some, {"scalar/XS/made up": lambda: 1e9}, SETTINGS, RUN, lambda text: None)
    assert {len(values) for values in found.values()} == {RUN.rounds}
    own = columns.ours(found, 2)
    assert {one.name for one in own} == {one.compiler.name for one in some} | {"made up"}
    assert all(math.isfinite(value) and value > 0 for one in own for value in one.middle.values())


def test_what_fails_is_told(built, folder):
    own = next(iter(built))
    broken = folder / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    right, wrong = variants.checked(built | {own: broken}, SETTINGS)
    assert own not in right and "ended with 3" in str(wrong[own])


def verdicts(column):
    found = {rule.name: (rules.found(rule, column), rule.bounds) for rule in rules.RULES}
    return {name: bounds.verdict(value) for name, (value, bounds) in found.items() if value}


def test_published_tables_are_read():
    stated = {one.name: one for one in columns.published(STUDY)}
    assert len(stated) == 9 + 1 + 8
    assert stated["Core i7 940, fujitsu"].rounds[0][variants.OPENMP, "XS"] == 13571.87e6
    assert stated["E5462 x2, divided"].cores == 8
    values = {name: rules.found(rules.RULES[2], one) for name, one in stated.items()}
    for row in STUDY.published.table("speedups").rows:
        if row["mode"] == "openmp":
            own = f"{row['machine']}, fujitsu"
            assert values[own].value * stated[own].cores == pytest.approx(row["size_xs"], abs=0.09)


def test_the_publications_tables_bear_out_what_it_says():
    stated = {one.name: verdicts(one) for one in columns.published(STUDY)}
    assert stated["QX6700, fujitsu"] | {"first step": HOLDS} == dict.fromkeys(
        stated["QX6700, fujitsu"], HOLDS
    )
    assert stated["M9000"]["falls"] == FAILS and stated["M9000"]["copies"] == HOLDS
    assert stated["HPC2500"]["copies"] == FAILS
    assert stated["E5462 x2, divided"] == dict.fromkeys(("MPI", "ways, large", "outermost"), HOLDS)


def test_a_table_that_shows_something_else_fails():
    table = {(mode, size): 1e9 for mode in variants.PARALLEL for size in ("XS", "L")}
    table |= {(variants.SCALAR, size): 1e9 for size in ("XS", "L")}
    told = verdicts(columns.Column("made up", 2, [table]))
    assert told == {
        "falls": FAILS,
        "cores, small": FAILS,
        "cores, large": HOLDS,
        "automatic": HOLDS,
        "ways, large": HOLDS,
    }


def test_a_size_that_is_not_known_is_an_error():
    with pytest.raises((KeyError, UserError)):
        exact.grid_of(SETTINGS, "XXL")
