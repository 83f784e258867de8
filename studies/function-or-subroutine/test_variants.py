"""The variants of the operator: one result, copies where functions return fields, and a damaged one is seen."""

import shutil
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers
from hakaru.studies.analyses import part

variants = part(Path(__file__).parent, "variants")
FLAGS = ("-O2",)
GNU = next(one for one in compilers.found("c++") if one.name == "g++")
VALUE = variants.Variant(GNU, "operators by value", "innermost", 4)
FILLING = variants.Variant(GNU, "functions that fill an argument", "outermost", 4)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    return {one: variants.build(one, FLAGS, folder) for one in (VALUE, FILLING)}


def test_variants_compute_the_same(built):
    variants.require_same(list(built.values()))


def test_a_damaged_variant_is_seen(built, tmp_path):
    sources = shutil.copytree(variants.SOURCES, tmp_path / "programs")
    source = sources / "wilson.cpp"
    text = source.read_text()
    assert "kappa = 0.12;" in text
    source.write_text(text.replace("kappa = 0.12;", "kappa = 0.1200000001;"))
    damaged = variants.build(FILLING, FLAGS, tmp_path, sources)
    with pytest.raises(UserError, match="computes something else"):
        variants.require_same([built[VALUE], damaged])


def test_copies_are_of_whole_fields(built):
    assert built[FILLING].copies == 0
    copied = built[VALUE]
    assert copied.copies > 0
    assert copied.bytes / copied.copies == 248832


def test_variants_take_turns(built):
    seconds = variants.timed(list(built.values()), 1e-4, 2, 1, lambda text: None)
    assert {len(values) for values in seconds.values()} == {2}


def test_what_does_not_compile_is_an_error_in_words(tmp_path):
    sources = tmp_path / "programs"
    shutil.copytree(variants.SOURCES, sources)
    (sources / "wilson.cpp").write_text("no program")
    with pytest.raises(UserError, match=r"g\+\+ cannot compile"):
        variants.build(VALUE, FLAGS, tmp_path, sources)


def test_a_compiler_that_fails_is_said_and_the_others_go_on(tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("#!/bin/sh\necho error: out of order >&2\nexit 1\n")
    bad.chmod(0o755)
    broken = variants.Variant(compilers.Compiler(str(bad), "c++", "bad"), VALUE.style, VALUE.colour, 4)
    said = []
    built = variants.all_built([broken, VALUE], FLAGS, tmp_path, said.append)
    assert [one.variant for one in built] == [VALUE]
    assert "left out: bad cannot compile" in said[0] and "out of order" in said[0]
    with pytest.raises(UserError, match="bad cannot compile"):
        variants.all_built([broken], FLAGS, tmp_path, said.append)
