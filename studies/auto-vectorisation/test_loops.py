"""The loops and what is made of reports: both languages do the same, a damaged one is seen, claims are read, scores follow."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers, load
from hakaru.studies.analyses import part
from hakaru.studies.compilers import Compiler

FOLDER = Path(__file__).parent
loops, reports, scores, variants, shown = (
    part(FOLDER, name) for name in ("loops", "reports", "scores", "variants", "shown")
)
SETTINGS = load("auto-vectorisation").settings
ALL = list(loops.loops())
PLAIN = SETTINGS.options_of("native")


def test_the_set_is_large_and_has_the_classes():
    assert len(ALL) >= 150 and len({(one.kind, one.name) for one in ALL}) == len(ALL)
    kinds = {one.kind for one in ALL}
    assert kinds >= {
        "dependence",
        "induction",
        "reduction",
        "conditional",
        "indirect",
        "stride",
        "recurrence",
    }
    assert kinds >= {"early-exit", "alignment", "call", "outer", "reordering", "plain"}


def test_a_damaged_loop_is_told(tmp_path):
    (tmp_path / "kind").mkdir()
    path = tmp_path / "kind" / "name.toml"
    path.write_text('about = "x"\nc = "a[0] = 1;"\n')
    with pytest.raises(UserError, match="is no loop.*fortran"):
        list(loops.loops(tmp_path))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


def gnu(language):
    return next(one for one in compilers.found(language) if one.family.split()[0] == "GNU")


EXACT = msgspec.structs.replace(PLAIN, flags=("-O1",))


@pytest.fixture(scope="module")
def built(folder):
    """A loop of three classes, in both languages."""
    names = ("outer/transpose", "reduction/sum-if", "indirect/unpack")
    some = [one for one in ALL if f"{one.kind}/{one.name}" in names]
    wanted = [variants.Variant(gnu(language), EXACT, one) for one in some for language in ("c", "fortran")]
    with_driver = variants.driver(folder)
    return compilers.each(wanted, lambda one: variants.build(one, folder, with_driver))[0]


def test_both_languages_do_the_same(built):
    right, wrong = variants.checked(built, SETTINGS.tolerance)
    assert len(right) == 6 and not wrong


def test_a_loop_that_does_something_else_is_seen(built, folder):
    one = next(one for one in built if one.loop.name == "sum-if")
    bodies = msgspec.structs.replace(one.loop.bodies, c=one.loop.bodies.c.replace("> s", ">= 0.5 * s"))
    damaged = replace(one, loop=replace(one.loop, bodies=bodies), compiler=gnu("c"), vectors=True)
    assert bodies != one.loop.bodies
    path = variants.build(damaged, folder, variants.driver(folder))
    right, wrong = variants.checked(built | {damaged: path}, SETTINGS.tolerance)
    assert len(wrong) >= 1 and all("computes something else" in str(error) for error in wrong.values())
    assert len(right) + len(wrong) == len(built) + 1


GNU_SAYS = """loop.c:10:21: optimized: loop vectorized using 16 byte vectors
loop.c:10:21: optimized: loop vectorized using 32 byte vectors
loop.c:6:6: optimized: basic block part vectorized using 64 byte vectors
"""
LLVM_SAYS = "place/loop.f90:14:5: remark: vectorized loop (vectorization width: 4, interleaved count: 4) [-Rpass=loop-vectorize]"


@pytest.mark.parametrize(
    ("family", "said", "expected"),
    [
        ("GNU", GNU_SAYS, (32, False)),
        ("GNU", "loop.c:9:19: optimized: parallelizing outer loop 1\n", (0, True)),
        ("GNU", "loop.c:9:19: optimized: loop with 10 iterations completely unrolled\n", (0, False)),
        ("GNU", "driver.c:9:19: optimized: loops vectorized using 32 byte vectors\n", (0, False)),
        ("LLVM", LLVM_SAYS, (32, False)),
        ("LLVM", "loop.c:11:5: remark: loop not vectorized\n", (0, False)),
    ],
)
def test_claims_are_read_from_reports(family, said, expected):
    found = reports.claim(reports.DIALECTS[family], said)
    assert (found.bytes, found.parallel) == expected


def test_a_compiler_with_unknown_reports_is_left_out():
    assert reports.dialect(Compiler("icx", "c", "")) is None
    assert reports.dialect(Compiler("gcc-13", "c", "")) is reports.DIALECTS["GNU"]


def score(compiler, loop, claimed, ratio):
    """Six rounds; ``ratio``: without over with."""
    variant = variants.Variant(Compiler(compiler, "c", ""), PLAIN, loop)
    seconds = {variant: [1.0] * 6, replace(variant, vectors=False): [ratio] * 6}
    return scores.scores({variant: reports.Claim(32 if claimed else 0)}, seconds)[0]


def test_gains_and_claims_in_vain_are_told_apart():
    found = [
        score("gcc", ALL[0], True, 2.0),
        score("gcc", ALL[1], True, 1.0),
        score("gcc", ALL[2], True, 1.1),
    ]
    assert [one.gains for one in found] == [True, False, False]
    assert [one.idle for one in found] == [False, True, False]
    assert shown.counts(found) == {"loops": 3, "vectorised": 3, "gain": 1, "in vain": 1}


def test_what_another_compiler_gains_was_refused():
    first, second = score("gcc", ALL[0], False, 1.0), score("clang", ALL[0], True, 2.0)
    told = scores.refused([first, second])
    assert list(told) == ["gcc, native"] and "(2.0 with clang)" in told["gcc, native"][0]
    assert scores.refused([first, score("clang", ALL[0], True, 1.0)]) == {}


def test_failures_are_counted_in_the_summary():
    words = shown.words([score("gcc", ALL[0], True, 2.0)], {"one": UserError("it failed")})
    assert words[0].startswith("1 programs failed") and "1 of 1 loops vectorised, 1 gain" in words[1]
