"""The variants of the trajectories: one result, in turns, and a damaged one is seen."""

import shutil
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.studies.analyses import part
from hakaru.studies.study import load

FOLDER = Path(__file__).parent
variants = part(FOLDER, "variants")
analysis = part(FOLDER, "analysis")
Variant = variants.Variant
FORTRAN = Variant("gfortran", "as published", "-O1", 3)
SERIAL = Variant("g++", "as published", "-O1", 3)
AUTOMATIC = Variant("g++", "loops exchanged", "-O2", 3, "automatic", 2)
INSIDE = Variant("g++", "loops exchanged", "-O1", 3, "inside", 2)
OVER = Variant("g++", "as published", "-O1", 3, "over", 2)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    wanted = [SERIAL, AUTOMATIC, INSIDE, OVER]
    if shutil.which("gfortran"):
        wanted.append(FORTRAN)
    return [variants.build(one, folder) for one in wanted]


def test_variants_compute_the_same(built):
    variants.require_same(built)


def test_a_damaged_variant_is_seen(built, tmp_path):
    sources = shutil.copytree(variants.SOURCES, tmp_path / "programs")
    source = sources / "trajectory.cpp"
    text = source.read_text()
    assert "coupling = 0.111803;" in text
    source.write_text(text.replace("coupling = 0.111803;", "coupling = 0.11181;"))
    damaged = variants.build(SERIAL, tmp_path, sources)
    with pytest.raises(UserError, match="computes something else"):
        variants.require_same([*built, damaged])


def test_variants_take_turns(built):
    seconds = variants.timed(built, variants.Timing(2, 1e-4, 2, 1), lambda text: None)
    assert {len(values) for values in seconds.values()} == {2}
    assert all(value > 0 for values in seconds.values() for value in values)


def test_what_does_not_compile_is_an_error_in_words(tmp_path):
    sources = shutil.copytree(variants.SOURCES, tmp_path / "programs")
    (sources / "trajectory.cpp").write_text("no program")
    with pytest.raises(UserError, match=r"g\+\+ cannot compile"):
        variants.build(SERIAL, tmp_path, sources)


def test_no_compiler_is_an_error_in_words(monkeypatch):
    monkeypatch.setattr(variants.shutil, "which", lambda name: None)
    with pytest.raises(UserError, match="nothing to compile with"):
        variants.found()


@pytest.fixture(scope="module")
def published():
    return load("semiclassical-md").published


def test_all_published_times_are_there(published):
    rows = published.table("times").rows
    builds = {(row["machine"], row["compiler"], row["options"], row["parallel_build"]) for row in rows}
    assert (len(rows), len(builds)) == (51, 26)


def test_published_threads_are_held_against_the_same_build(published):
    least, largest = analysis.published_extremes(published, 2)
    assert least == pytest.approx(58.600 / 59.980) and largest == pytest.approx(661.780 / 148.610)
    least, largest = analysis.published_extremes(published, 4)
    assert least == pytest.approx(38.550 / 113.329) and largest == pytest.approx(1340.150 / 148.610)
    assert analysis.published_extremes(published, 3) is None


def test_the_published_gain_of_options(published):
    assert analysis.published_gain(published) == pytest.approx(75.232 / 58.590)
