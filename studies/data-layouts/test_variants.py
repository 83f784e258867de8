"""Programs written from the description: one result to the last bit, held against numpy, and a damaged one is seen."""

import re
from pathlib import Path

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers, load
from hakaru.studies.analyses import part
from hakaru.studies.told import told

FOLDER = Path(__file__).parent
description, variants, fortran, cpp = (
    part(FOLDER, name) for name in ("description", "variants", "fortran", "cpp")
)
SETTINGS = load("data-layouts").settings
SIZE, EXACT = SETTINGS.trial, SETTINGS.options_of("plain")


def first(language):
    return compilers.found(language)[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def built(folder):
    wanted = [
        variants.Variant(first("fortran"), EXACT, "B", 1, "pointer"),
        variants.Variant(first("fortran"), EXACT, "E", 2, "allocatable"),
        variants.Variant(first("c++"), EXACT, "E", 3),
        variants.Variant(first("c++"), SETTINGS.options_of("native"), variants.BEST, 0),
    ]
    made = compilers.each(wanted, lambda one: variants.build(one, SIZE, folder))
    assert not made[1], made[1]
    return made[0]


def test_programs_have_one_result_to_the_last_bit(built):
    running, failed = variants.checked(built, SIZE, SETTINGS.sum_tolerance)
    assert len(running) == 4 and not failed, failed


def start(points, blocks):
    """q(n, m, k, j, i) as the programs begin."""
    m, k, j, i = np.meshgrid(
        *(np.arange(1, one + 1) for one in (blocks, points, points, points)), indexing="ij"
    )
    r = 1 + (7 * i + 11 * j + 13 * k + 17 * m) % 32 / 64
    u = (5 * i + 3 * j + 7 * k + m) % 16 / 32
    v = (3 * i + 7 * j + 5 * k + m) % 16 / 32 - 0.25
    w = 0.25 - (7 * i + 5 * j + 3 * k + m) % 16 / 32
    p = 1 + (13 * i + 7 * j + 11 * k + 5 * m) % 32 / 128
    return np.array([r, r * u, r * v, r * w, 2.5 * p + r * (u * u + v * v + w * w) / 2])


def shus(left, right, normal):
    """The flux across a face, written down again from Shima and Jounouchi, not from the description."""
    rl, rr = left[0], right[0]
    pl, pr = (0.4 * (q[4] - (q[1:4] ** 2).sum(0) / q[0] / 2) for q in (left, right))
    hl, hr = (left[4] + pl) / rl, (right[4] + pr) / rr
    vl, vr = left[normal] / rl, right[normal] / rr
    c = (np.sqrt(1.4 * pl / rl) + np.sqrt(1.4 * pr / rr)) / 2
    mean, mach, ml, mr = (vl + vr) / 2, (vl + vr) / 2 / c, vl / c, vr / c
    up, down = abs(mach + 1), abs(mach - 1)
    mass = rl * vl + rr * vr - abs(mean) * (rr - rl) - (up - down) / 2 * (rl + rr) / 2 * (vr - vl)
    mass = (mass - (up + down - 2 * abs(mach)) / 2 * (pr - pl) / c) / 2
    plus = np.where(abs(ml) < 1, (2 - ml) * (ml + 1) ** 2 / 4, (1 + np.sign(ml)) / 2)
    minus = np.where(abs(mr) < 1, (2 + mr) * (mr - 1) ** 2 / 4, (1 - np.sign(mr)) / 2)
    carried = [np.array([np.ones_like(r), *(q[1:4] / r), h]) for q, r, h in ((left, rl, hl), (right, rr, hr))]
    flux = (mass + abs(mass)) / 2 * carried[0] + (mass - abs(mass)) / 2 * carried[1]
    flux[normal] += plus * pl + minus * pr
    return flux


def advanced(q):
    change = np.zeros_like(q)
    for normal, axis in ((1, 4), (2, 3), (3, 2)):
        count = q.shape[axis]

        def cut(array, begin, end, axis=axis):
            return array[(slice(None),) * axis + (slice(begin, end),)]

        flux = shus(cut(q, 0, count - 1), cut(q, 1, count), normal)
        cut(change, 1, count - 1)[...] += cut(flux, 1, count - 1) - cut(flux, 0, count - 2)
    return q - change / 16


def test_the_result_is_that_of_the_formulas(built):
    q = advanced(advanced(start(SIZE.points, SIZE.blocks)))
    for variant, path in built.items():
        found = told(path, (SIZE.points, 1, 1)).number("total")
        assert found == pytest.approx(float((q * q).sum()), rel=1e-13), variant.name


@pytest.mark.parametrize("bound", [0, 5], ids=["bits", "sum"])
def test_a_damaged_program_is_seen(built, folder, monkeypatch, bound):
    """One constant that is off by a bit is seen by bits, by a part in a million by the sum."""
    lines = description.face_lines
    off = "0.50000000000000011" if bound == 0 else "0.500001"
    monkeypatch.setattr(
        cpp.Cpp,
        "flux",
        lambda self, axis: [
            one.replace("half * (rl + rr)", f"{off} * (rl + rr)") for one in _flux(self, axis)
        ],
    )
    assert lines("i")
    damaged = variants.Variant(first("c++"), EXACT, "G", 1)
    path = variants.build(damaged, SIZE, folder)
    with pytest.raises(UserError, match="computes something else"):
        variants.checked(built | {damaged: path}, SIZE, SETTINGS.sum_tolerance)


_flux = cpp.Cpp.flux


def test_every_program_is_another_one():
    """7 layouts x 4 orders of loops in two languages, pointers and allocatables."""
    texts = {
        writer.program(kernel, 8, 2)
        for layout in description.LAYOUTS.values()
        for writer in (
            fortran.Fortran(layout, "pointer"),
            fortran.Fortran(layout, "allocatable"),
            cpp.Cpp(layout),
        )
        for kernel in description.KERNELS
    }
    static = sum(not one.dynamic for one in description.LAYOUTS.values())
    assert len(texts) == 4 * (3 * len(description.LAYOUTS) - static)


def test_orders_of_loops_are_the_published_ones():
    def order(kernel):
        text = fortran.Fortran(description.LAYOUTS["G"]).program(kernel, 8, 2)
        step = text[text.index("subroutine step") : text.index("subroutine tell")]
        return re.findall(r"do ([ijkn]) =", step)

    assert "".join(order(0)) == "kji" + "nkji" + "kji" + "nkji" + "kji" + "nkji" + "nkji"
    assert "".join(order(1)) == ("kji" + "kjin") * 3 + "kjin"
    assert "".join(order(2)) == "kji" + "ni" + "kij" + "nj" + "jik" + "nk" + "nkji"
    assert "".join(order(3)) == "kji" + "in" + "kij" + "jn" + "jik" + "kn" + "kjin"


def test_what_fails_is_told_and_the_rest_goes_on(built, folder):
    broken = variants.Variant(first("c++"), EXACT, "G", 2)
    path = folder / "broken"
    path.write_text("#!/bin/sh\nexit 3\n")
    path.chmod(0o755)
    running, failed = variants.checked(built | {broken: path}, SIZE, SETTINGS.sum_tolerance)
    assert len(running) == 4 and "ended with 3" in str(failed[broken])


def test_operations_are_counted():
    assert description.operations([("a", "half * (b + c) - sqrt(d) / max(-one, e)")]) == 6
    assert 200 < description.flops_of_a_point() < 300
