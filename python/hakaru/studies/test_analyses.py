"""A study's files as modules: helpers beside them, copies apart, damage told."""

import pytest

from hakaru.base.errors import UserError
from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.run import run_study
from hakaru.studies.study import known_studies


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "a-study"
    place.mkdir()
    (place / "analysis.py").write_text(
        "from .helper import ANSWER\n\n\ndef run(study, context):\n    return ANSWER\n"
    )
    (place / "helper.py").write_text("ANSWER = 42\n")
    return place


def test_files_of_a_study_import_each_other(folder):
    assert part(folder).run(None, None) == 42
    assert part(folder) is part(folder) and part(folder, "helper").ANSWER == 42


def test_a_copy_of_a_study_is_a_package_of_its_own(folder, tmp_path):
    part(folder)
    copy = tmp_path / "elsewhere" / "a-study"
    copy.mkdir(parents=True)
    (copy / "analysis.py").write_text("def run(study, context):\n    return 43\n")
    assert (part(folder).run(None, None), part(copy).run(None, None)) == (42, 43)


@pytest.mark.parametrize("text", ["def run(:", "from .nothing import x"])
def test_a_damaged_analysis_is_told(folder, text):
    (folder / "analysis.py").write_text(text)
    with pytest.raises(UserError, match=r"analysis\.py is damaged"):
        part(folder)


def test_a_missing_part_is_named(folder):
    with pytest.raises(UserError, match=r"has no shown\.py"):
        part(folder, "shown")


def test_a_study_without_a_run_here_says_so(tmp_path):
    name = next(name for name, place in known_studies().items() if not hasattr(part(place), "here"))
    with pytest.raises(UserError, match="does not run here"):
        run_study(load(name), tmp_path, True, lambda text: None)
