"""Every study folder is complete and its files are sound; damaged ones are clear errors."""

import shutil

import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts.machines import known_machines
from hakaru.studies.kinds import kind_of
from hakaru.studies.study import FILES, known_studies, load_folder

FOLDERS = sorted(path for path in (root() / "studies").iterdir() if path.is_dir())
HEADINGS = ("What the publication asked", "What hakaru ran", "What came out", "Where they differ, and why")
MOST_LINES = 80


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_study_is_complete(folder):
    study = load_folder(folder)
    assert hasattr(kind_of(study), "run")
    text = (folder / "README.md").read_text()
    assert all(f"## {heading}" in text for heading in HEADINGS)
    assert len(text.splitlines()) <= MOST_LINES
    if machine := study.settings.get("machine"):
        assert machine in known_machines()
    for role in ("fitted", "predicted") if study.kind == "speedups" else ():
        assert study.settings[role]["machine"] in known_machines()
        for program in study.programs:
            column = study.settings[role]["column"]
            study.published.number(study.settings["table"], "application", program["application"], column)


def test_the_template_is_no_study():
    assert "_template" not in known_studies() and "ap1000plus" in known_studies()


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(root() / "studies" / "_template", tmp_path / "_template")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(copy, name):
    (copy / name).unlink()
    with pytest.raises(UserError, match=f"has no {name}.*studies/_template"):
        load_folder(copy)


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("study.toml", 'kind = "speedups"', 'kind = "magic"', "kind"),
        ("study.toml", "ranks = 16", 'ranks = "many"', r"programs\.0\.ranks"),
        ("study.toml", 'base = "ap1000"', "", "'base' is a required property"),
        ("study.toml", 'name = "_template"', 'name = "other"', "is of the study 'other'"),
        ("published.toml", 'id = "statistics"', 'id = "speedups"', "two tables of one id"),
        (
            "published.toml",
            'source = "where it stands in the publication"\nunit = { m',
            "unit = { m",
            "'source' is a required",
        ),
        ("published.toml", "rows = [", "rows = [[", "not valid TOML"),
    ],
)
def test_damaged_files_are_clear_errors(copy, file, old, new, expected):
    path = copy / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UserError, match=expected):
        load_folder(copy)


def test_a_missing_number_is_named(copy):
    path = copy / "published.toml"
    path.write_text(path.read_text().replace("ap1000plus = 8.03", 'ap1000plus = "8.03"'))
    with pytest.raises(UserError, match="no number 'ap1000plus' for SCG"):
        load_folder(copy).published.number("speedups", "application", "SCG", "ap1000plus")
    with pytest.raises(UserError, match="no application 'SP'"):
        load_folder(copy).published.number("speedups", "application", "SP", "ap1000plus")
