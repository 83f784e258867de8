"""The published filter in C and Fortran: one result, held to a sort; what does not sort, and a damaged program, are seen. The model of the times."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers, load
from hakaru.studies.analyses import part
from hakaru.studies.told import Told

FOLDER = Path(__file__).parent
variants, model, analysis = (part(FOLDER, name) for name in ("variants", "model", "analysis"))
STUDY = load("median-filter")
SIZE = STUDY.settings.trial


def built(folder, wanted):
    return compilers.each(wanted, lambda one: variants.build(one, SIZE, 3, ("-O1",), folder))[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def programs(folder):
    """One of each language, form, type and order, the first compiler of a language."""
    first = [compilers.found(language)[0] for language in variants.LANGUAGES]
    return built(
        folder,
        [
            variants.Variant(compiler, form, values, order)
            for compiler in first
            for form, values, order in (
                ("inline", "integer", variants.PRINTED),
                ("procedure", "integer", variants.MENDED),
                ("procedure", "real", variants.PRINTED),
                ("inline", "real", variants.MENDED),
            )
        ],
    )


def test_languages_agree_and_only_the_mended_order_sorts(programs):
    said, failed = variants.checked(programs)
    assert len(said) == 8 and not failed
    for one, told in said.items():
        wrong = told.number("different") / told.number("looked_at")
        assert wrong == 0.0 if one.order == variants.MENDED else 0.3 < wrong < 0.9


def test_threads_have_no_other_result(programs):
    two = {replace(one, threads=2): path for one, path in programs.items()}
    assert len(variants.checked(programs | two)[0]) == 16


def test_a_damaged_program_is_seen(programs, folder, monkeypatch):
    text = variants.text
    monkeypatch.setattr(
        variants, "text", lambda name: text(name).replace("list[listed / 2]", "list[listed / 2 + 1]")
    )
    compiler = compilers.found("c")[0]
    for order in variants.ORDERS:
        damaged = variants.Variant(compiler, "procedure", "integer", order, pages="transparent")
        with pytest.raises(UserError, match="computes something else"):
            variants.checked(programs | built(folder, [damaged]))


def test_pages_are_told_by_the_kernel(programs):
    one = next(iter(programs))
    base, transparent = (
        variants.started(replace(one, pages=kind), programs[one]) for kind in ("base", "transparent")
    )
    assert base.number("transparent") == base.number("large") == 0.0
    assert base.number("resident") >= 2 * 4 * SIZE.image**3
    assert transparent.number("transparent") <= transparent.number("resident")


def test_what_the_kernel_has_not_is_told_and_the_rest_goes_on(programs, folder):
    refusing = folder / "refusing"
    refusing.write_text("#!/bin/sh\necho 'the kernel has no 8 large pages left' >&2\nexit 4\n")
    refusing.chmod(0o755)
    one = replace(next(iter(programs)), pages="large")
    said, failed = variants.checked(programs | {one: refusing})
    assert len(said) == len(programs) and "no 8 large pages" in str(failed[one])


def test_the_model_is_whole_iterations_and_whole_segments():
    told = STUDY.settings.model
    assert [round(126 * model.loop_share(told, threads)) for threads in (1, 2, 14, 15, 126)] == [
        126,
        63,
        9,
        9,
        1,
    ]
    assert [model.segments(told, threads) for threads in (1, 7, 8, 15, 16)] == [1, 1, 2, 2, 3]
    assert model.seconds(told, "c_inline_int", 6.3, 8) == pytest.approx(0.8 + 0.175)
    assert model.seconds(told, "fortran_inline_int", 6.3, 8) == pytest.approx(0.8)


def test_a_model_without_segments_misses_the_published_table():
    """What is published can tell the explanation from none."""
    told = STUDY.settings.model

    def misses(settings):
        rows = [row for row in model.rows(STUDY.published, settings) if row.id.startswith("times/c_")]
        return sum(abs(row.error) > 0.05 for row in rows)

    assert misses(msgspec.structs.replace(told, segment_s=1e-9)) > misses(told)


def test_ratios_stand_beside_the_published_ones():
    """Two threads of gcc take half of the time of one; a procedure takes a fifth more than inline."""
    gcc = compilers.Compiler("gcc", "c", "gcc")
    one = variants.Variant(gcc, "inline", "integer")
    seconds = {
        one: [2.0, 2.0, 2.0],
        replace(one, threads=2): [1.0, 1.0, 1.0],
        replace(one, form="procedure"): [2.4, 2.4, 2.4],
        replace(one, pages="large"): [1.8, 1.8, 1.8],
    }
    rows = {row.id: row for row in analysis.ratio_rows(STUDY, seconds)}
    assert rows["ratio/threads/gcc/inline/integer/2"].ours == pytest.approx(0.5)
    assert rows["ratio/threads/gcc/inline/integer/2"].published == pytest.approx(3.22 / 6.49)
    assert rows["ratio/procedure over inline/gcc/integer/1"].ours == pytest.approx(1.2)
    assert rows["ratio/procedure over inline/gcc/integer/1"].published == pytest.approx(7.26 / 6.49)
    told = {one: Told("any", {"resident": ["8"], "transparent": ["0"], "large": ["6"]}) for one in seconds}
    pages = {row.id: row.ours for row in analysis.page_rows(told, seconds)}
    assert pages == pytest.approx(
        {"pages/gcc/large/large share": 0.75, "pages/gcc/large/time over base pages": 0.9}
    )
