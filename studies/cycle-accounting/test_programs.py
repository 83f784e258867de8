"""The programs: one result to the last bit in all forms and languages, held against numpy; a damaged one is seen; events are counted."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers, load
from hakaru.studies.analyses import part
from hakaru.studies.told import told

FOLDER = Path(__file__).parent
loops, places, variants = (part(FOLDER, name) for name in ("loops", "places", "variants"))
SETTINGS = load("cycle-accounting").settings
RUN = SETTINGS.trial
CACHES = places.Caches(4096, 16384, 1 << 20, True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def wanted():
    found = list(variants.variants(SETTINGS, RUN, CACHES))
    extra = [one for one in loops.KERNELS if one.name not in RUN.kernels]
    for compiler in compilers.found("c", "fortran"):
        for kernel in extra:
            shape = kernel.shape(8192)
            found.append(
                variants.Variant(compiler, kernel.name, loops.WHOLE, "any", shape, kernel.work(shape))
            )
    return found


@pytest.fixture(scope="module")
def built(folder, wanted):
    driver = variants.driver(folder)
    paths, failed = compilers.each(wanted, lambda one: variants.build(one, SETTINGS.flags, folder, driver))
    assert not failed
    return paths


def test_all_forms_and_languages_have_one_result(built):
    running, failed = variants.checked(built)
    assert len(running) == len(built) and not failed
    results = {one.result for one in built}
    assert len(results) < len(built) / 2


def expected(variant):
    """Sum over i of (1 + i mod 7) a(i) + c(i), in numpy, from the formulas."""
    shape = variant.shape
    i = np.arange(shape.elements)
    b, c = (i * 7 % 32 + 1) / 16, (i * 5 % 16 + 1) / 8
    square = (shape.columns, shape.rows)  # of arrays by columns
    columns = b.reshape(square)
    if variant.loop == "matrix-product":
        a = c.reshape(square) @ columns
    elif variant.loop in ("copy", "division", "addition"):
        a = {"copy": b, "division": b / c, "addition": b + 1}[variant.loop]
    elif variant.loop == "padding":
        a = np.zeros(square)
        a[1:-1] = (columns[:-2] + 2 * columns[1:-1] + columns[2:]) / 4
    elif variant.loop == "fusion":
        a, c = np.zeros(square), b / 2
        a[1:] = (columns[1:] + columns[:-1]) / 2
    elif variant.loop == "triangle":
        a = np.triu((b + c).reshape(square))
    elif variant.loop == "merging":
        a = b + c
    else:
        a = columns.T
    return float(((1 + i % 7) * a.ravel()).sum() + c.sum())


def test_results_are_those_of_the_formulas(built):
    for variant, path in built.items():
        if variant.form == loops.BITS or variant.loop == "prefetch":
            continue
        total = told(path, variants.words(variant, 0, 0.0)).number("total")
        assert total == pytest.approx(expected(variant), rel=1e-13), variant.name


def test_an_indirect_read_takes_every_element_once(built):
    """The sum of a is that of b, in another order: the list is a permutation, and not the identity."""
    own = next(one for one in built if one.loop == "prefetch" and one.form == loops.BEFORE)
    total = told(built[own], variants.words(own, 0, 0.0)).number("total")
    i = np.arange(own.shape.elements)
    b, c = (i * 7 % 32 + 1) / 16, (i * 5 % 16 + 1) / 8
    assert abs(total - c.sum() - 4 * b.sum()) < 0.05 * total
    assert total != pytest.approx(((1 + i % 7) * b).sum() + c.sum(), rel=1e-9)


@pytest.mark.parametrize(
    ("loop", "old", "new"),
    [
        ("division", "(x) / (y)", "(x) / ((y) + 1e-15)"),
        ("fusion", "i < rows; i++) c[i] = 0.5", "i < rows - 1; i++) c[i] = 0.5"),
        ("tiling", "b[j + leading * i]", "b[i + leading * j]"),
        ("triangle", "int i = j;", "int i = j + 1;"),
    ],
)
def test_a_damaged_program_is_seen(built, folder, tmp_path, monkeypatch, loop, old, new):
    driver = variants.driver(folder)
    texts = {name: (variants.FOLDER / name).read_text() for name in (f"{loop}.c", "kernel.h")}
    changed = {name: text.replace(old, new, 1) for name, text in texts.items()}
    assert changed != texts
    for name, text in changed.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(variants, "FOLDER", tmp_path)
    form = loops.WHOLE if loop == "division" else loops.AFTER
    own = next(one for one in built if (one.loop, one.form, one.compiler.language) == (loop, form, "c"))
    damaged = variants.build(own, SETTINGS.flags, folder, driver)
    with pytest.raises(UserError, match="computes something else"):
        variants.checked(built | {own: damaged})


def test_what_fails_is_told_and_the_rest_goes_on(built, folder):
    own = next(iter(built))
    broken = folder / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    running, failed = variants.checked(built | {own: broken})
    assert own not in running and "ended with 3" in str(failed[own])


def test_programs_take_turns_and_threads_tell_their_waiting(built, folder):
    some = {one: path for one, path in built.items() if one.loop in ("division", "triangle")}
    bounds = variants.ceilings(SETTINGS.flags, folder)
    times = variants.timed(some, bounds, RUN, CACHES, lambda text: None)
    assert {len(values) for values in times.seconds.values()} == {RUN.rounds}
    assert all(math.isfinite(one) and one > 0 for values in times.seconds.values() for one in values)
    assert {one.loop for one in times.waited} <= {"triangle"}
    assert all(0 <= share < 1 for values in times.waited.values() for share in values)
    assert {len(values) for values in times.ceilings.values()} == {RUN.rounds}


def test_software_events_are_counted_through_the_same_calls(built):
    """The kernel's own events open where a processor shows none: a group of two, led by the first (task clock, page faults)."""
    own = next(one for one in built if one.loop == "division")
    found = variants.counted(built[own], own, ["0:1:1", "0:1:2"], 1e-3)
    if "uncounted" in found.values:
        assert int(found.text("uncounted")) > 0  # a sandbox may forbid all of them
        return
    counts = dict(line.split() for line in found.values["count"])
    assert float(counts["0"]) > 1e6 and set(counts) == {"0", "1"}


def test_events_that_nobody_has_are_told(built):
    own = next(iter(built))
    found = variants.counted(built[own], own, ["0:9999:0"], 1e-4)
    assert re.fullmatch(r"\d+", found.text("uncounted"))
