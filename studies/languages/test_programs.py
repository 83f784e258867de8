"""The programs: one result, files with the right content, damaged ones seen; conclusions turn with their times."""

from pathlib import Path

import numpy as np
import pytest

from hakaru.base.errors import UserError
from hakaru.studies import compilers, load
from hakaru.studies.analyses import part
from hakaru.studies.told import told

FOLDER = Path(__file__).parent
description, variants, files, rules, analysis = (
    part(FOLDER, name) for name in ("description", "variants", "files", "rules", "analysis")
)
STUDY = load("languages")
ROWS = {row["program"]: row for row in STUDY.published.table("programs").rows}
ALL = list(description.programs(ROWS))
ORDER = 12
FLAGS = ("-O1",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


def variant(program):
    return variants.Variant(compilers.found(program.language)[0], "O1", program)


def named(name):
    return next(one for one in ALL if one.name == name)


def test_the_table_says_24_programs_and_each_is_another():
    published = [one for one in ALL if not one.instead]
    assert len(published) == 24 and [one.number for one in published] == list(range(1, 25))
    assert len({description.source(one, ORDER) for one in ALL}) == len(ALL) == 27


@pytest.fixture(scope="module")
def built(folder):
    """One of each language, with arrays of pointers, a class, a derived type, and each way of writing."""
    chosen = ["7", "9", "17", "14", "14, list-directed", "13, f20.6 as printed"]
    wanted = [variant(named(one)) for one in chosen]
    return compilers.each(wanted, lambda one: variants.build(one, FLAGS, ORDER, folder))[0]


def test_programs_have_one_result_and_write_it(built, tmp_path):
    running, failed = variants.checked(built)
    assert len(running) == 6 and not failed
    for one, path in built.items():
        output = tmp_path / "output"
        told(path, (output,))
        files.require_content(one.program, output, ORDER)


def test_every_program_is_whole(folder):
    """Of the others, that their compilers take them."""
    rest = [variant(one) for one in ALL]
    texts = [description.source(one.program, ORDER) for one in rest]
    assert not [text for text in texts if "$" in text]


def test_a_damaged_program_is_seen(built, folder, monkeypatch):
    plain = description.source
    monkeypatch.setattr(
        description, "source", lambda program, order: plain(program, order).replace("tmp = 0.0", "tmp = 1.0")
    )
    damaged = variant(named("8"))
    path = variants.build(damaged, FLAGS, ORDER, folder)
    with pytest.raises(UserError, match="computes something else"):
        variants.checked(built | {damaged: path})


@pytest.mark.parametrize("name", ["7", "17", "14"])
@pytest.mark.parametrize("damage", ["value", "place", "end"])
def test_a_damaged_file_is_seen(built, tmp_path, name, damage):
    one = next(one for one in built if one.program.name == name)
    output = tmp_path / "output"
    told(built[one], (output,))
    data = bytearray(output.read_bytes())
    if damage == "end":
        data = data[: len(data) // 2]
    elif one.program.formatted:
        text = data.decode().splitlines()
        if damage == "value":
            number = next(
                i for i, line in enumerate(text) if len(line.split()) == 2 and float(line.split()[1]) > 9
            )
            text[number] = text[number].replace(text[number].split()[1], "7.000000")
        else:
            text[3], text[4] = text[4], text[3]
        data = "\n".join(text).encode()
    else:
        data[12 + 4 + (4 if damage == "value" else 0)] ^= 1
    output.write_bytes(bytes(data))
    with pytest.raises(UserError, match=f"program {name} wrote something else"):
        files.require_content(one.program, output, ORDER)


def test_stars_are_no_numbers(tmp_path):
    output = tmp_path / "output"
    output.write_text("   1\n   1      ********************\n")
    with pytest.raises(UserError, match="wrote something else"):
        files.require_content(named("13"), output, 1)


def test_the_printed_format_cannot_hold_the_results():
    assert files.stars(24) == 0.0
    expected = files.product(1000)
    assert expected.max() < 2.0**53 and np.all(expected == np.round(expected))
    assert 0.7 < files.stars(1000) < 0.8


def seconds(changed=(), factor=1.0):
    return {one.name: [factor if one.name in changed else 1.0] * 6 for one in ALL}


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.name)
def test_a_conclusion_turns_with_its_times(rule):
    assert rules.found(rule, seconds()).value == pytest.approx(1.0)
    slow = rules.found(rule, seconds(rule.slow, 1.5))
    assert slow.value == pytest.approx(1.5)
    assert rule.bounds.verdict(slow) != rule.bounds.verdict(rules.found(rule, seconds()))
    for item in rule.items:
        assert STUDY.published.row("statements", "item", item)


def test_published_factors_of_gnu_stand_beside_ours():
    by_name = {rule.name: analysis.stated(STUDY, rule) for rule in rules.RULES}
    assert by_name["dynamic arrays in C"] == pytest.approx(1.15)
    assert by_name["arrays of pointers"] == 2.0
    assert by_name["output of C++"] is None


def test_a_conclusion_without_its_programs_is_not_asked():
    assert rules.found(rules.RULES[0], {"1": [1.0]}) is None


def test_a_full_disk_and_a_missing_folder_are_errors_in_words(built, tmp_path):
    for one, path in built.items():
        with pytest.raises(UserError, match="failed"):
            told(path, (tmp_path / "no" / "folder" / "output",))
        if one.program.language != "fortran":
            with pytest.raises(UserError, match=r"cannot be written"):
                told(path, ("/dev/full",))


def test_a_short_file_of_fortran_is_seen(built, tmp_path):
    seen = 0
    for one, path in built.items():
        output = tmp_path / "output"
        told(path, (output,))
        files.require_whole(one.program, output, ORDER)
        if files.whole_bytes(one.program, ORDER):
            seen += 1
            output.write_bytes(output.read_bytes()[:-1])
            with pytest.raises(UserError, match="may be full"):
                files.require_whole(one.program, output, ORDER)
    assert seen == 3
