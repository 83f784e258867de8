"""Every study folder is complete and its files are sound; damaged ones are clear errors."""

import ast
import json
import re
import shutil
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

import jsonschema
import pytest
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.cli import register_commands
from hakaru.cli import root as app
from hakaru.facts.machines import known_machines
from hakaru.facts.records import fixtures
from hakaru.studies import launches
from hakaru.studies.analyses import Context, part
from hakaru.studies.evidence import FITTED, MEASURED, PREDICTION, UNPUBLISHED, headline, judged, problems
from hakaru.studies.fixtures import ClosedForm, small_schedule, small_tables, with_settings
from hakaru.studies.run import checked, undeclared
from hakaru.studies.study import FILES, known_studies, load_folder

FOLDERS = sorted(path for path in (root() / "studies").iterdir() if path.is_dir())
HEADINGS = ("What the publication asked", "What hakaru ran", "What came out", "Where they differ, and why")
MOST_CHARACTERS = (
    10_000  # lines are a sentence each, of at most 120 characters, so that they do not measure length
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_study_is_complete(folder):
    study = load_folder(folder)
    assert hasattr(part(folder), "run")
    text = (folder / "README.md").read_text()
    assert all(f"## {heading}" in text for heading in HEADINGS)
    assert len(text) <= MOST_CHARACTERS
    if machine := getattr(study.settings, "machine", None):
        assert machine in known_machines()


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
        ("study.toml", "[analysis]", "[magic]", "'analysis' is a required property|'magic'"),
        ("study.toml", "ranks = 16", 'ranks = "many"', r"programs\.0\.ranks"),
        ("study.toml", 'base = "ap1000"', "", "analysis: .*required field `base`"),
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


class Results(dict):
    """Every study's result, when it is asked for, by an engine of closed form: other times, but the rows, and what they are computed from, of
    a whole run."""

    def __init__(self, places: pytest.TempPathFactory):
        super().__init__()
        self.places = places

    def __missing__(self, name):
        folder, place = root() / "studies" / name, self.places.mktemp(name)
        study = load_folder(folder)
        few = {"beyond": None, "rounds": 1}  # rows do not depend on how long programs are timed
        study = with_settings(
            study, **{name: value for name, value in few.items() if hasattr(study.settings, name)}
        )
        context = Context(ClosedForm(), lambda program: small_schedule(program, place), results=place)
        with pytest.MonkeyPatch.context() as patch:
            tables = small_tables(getattr(study.settings, "compared", ()))
            record = fixtures.probed("any", *tables)
            patch.setattr(launches, "perform", lambda *_: record)
            self[name] = study, part(folder).run(study, context)
        return self[name]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(tmp_path_factory)


@pytest.mark.parametrize("name", [folder.name for folder in FOLDERS])
def test_every_study_tells_its_misses_and_what_was_fitted(results, name):
    study, result = results[name]
    result = checked(study, replace(result, rows=list(result.rows)))
    tested = [row for row in result.rows if row.kind == PREDICTION]
    assert {row.id for row in tested} == set(study.basis.predictions)
    assert all(row.published is not None for row in tested)
    assert f"of {len(tested)} published number" in result.summary[0] or not tested
    assert result.summary[1].startswith(f"Free parameters: {len(study.basis.parameters) or 'none'}")
    assert undeclared(study) == []
    law = json.loads((root() / "schema" / "study-result.schema.json").read_text())
    jsonschema.validate(result.as_dict(name), law)


def told(study, rows):
    return problems(rows, headline(rows, study.basis), study.basis)


@pytest.mark.parametrize("name", sorted(known_studies()))
def test_a_damaged_study_fails(results, name):
    study, result = results[name]
    for row in result.rows:
        others = [one for one in result.rows if one is not row]
        if row.kind == PREDICTION or row.id in study.basis.used:
            assert any("is missing" in text for text in told(study, others)), f"{row.id} was dropped"
        if row.kind != MEASURED:
            for kind in {FITTED, PREDICTION, UNPUBLISHED} - {row.kind}:
                assert told(study, [replace(row, kind=kind), *others]), f"{row.id} was called {kind}"
        if row.kind == PREDICTION:
            assert told(study, [replace(row, kind=MEASURED), *others]), f"{row.id} was called measured"
    dropped = replace(study, basis=replace(study.basis, predictions=study.basis.predictions[1:]))
    if study.basis.predictions:
        with pytest.raises(UserError, match="contradicts what it declares.*is not declared"):
            checked(dropped, replace(result))


def test_a_fit_that_is_not_declared_is_told(results):
    for name, count in (("sr16000", 4), ("earth-simulator", 8)):
        study = results[name][0]
        assert len(undeclared(replace(study, basis=replace(study.basis, parameters=())))) == count


def test_rows_that_the_fits_determine_are_no_predictions(results):
    """Rows whose numbers follow from fitted or given ones."""
    kinds = {row.id: row.kind for name in known_studies() for row in results[name][1].rows}
    implied = ["table4/EP/ap1000plus", "figure9/256^3/16/flat/transposition", "eager/128/49/ratio"]
    implied += ["eager/240/49/ratio", *(f"eager/{limit}/1/ratio" for limit in (128, 240, 65536, 1048576))]
    assert {name: kinds[name] for name in implied} == dict.fromkeys(implied, FITTED)
    tested = ["later/2048^3/512/hybrid/double/speed", "figure6/FT/overhead", "eager/65536/49/ratio"]
    assert {name: kinds[name] for name in tested} == dict.fromkeys(tested, PREDICTION)
    study, result = results["earth-simulator"]
    assert judged(result.rows, study.basis) == result.rows


def test_the_command_lists_and_refuses():
    register_commands()
    runner = CliRunner()
    listed = runner.invoke(app, ["study", "--json"])
    assert [one["name"] for one in json.loads(listed.output)] == sorted(known_studies())
    refused = runner.invoke(app, ["study", "ap1000"])
    assert isinstance(refused.exception, UserError) and "did you mean ap1000plus" in str(refused.exception)


ENGINE = root() / "python" / "hakaru" / "studies"


def imported(text, package):
    """Files of the same folder that a file imports: relatively, or by the name of its package."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level == 0 and f"{name}.".startswith(f"{package}."):
                name = name.removeprefix(package).removeprefix(".")
            elif node.level == 0:
                continue
            yield from [name] if name else [one.name for one in node.names]


def in_order(texts, package):
    """The files of a folder, each after those that it imports. Raises CycleError."""
    graph = {name: set(imported(text, package)) & set(texts) for name, text in texts.items()}
    return list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("folder", [*FOLDERS, ENGINE], ids=lambda folder: folder.name)
def test_files_import_each_other_in_no_circle(folder):
    files = (path for path in folder.glob("*.py") if not path.name.startswith(("test_", "__")))
    package = "hakaru.studies" if folder == ENGINE else "a study's files import each other relatively"
    assert in_order({path.stem: path.read_text() for path in files}, package)


def test_a_circle_is_seen():
    with pytest.raises(CycleError):
        in_order({"a": "from .b import x", "b": "from p import a", "c": "import json"}, "p")
    assert in_order({"a": "from .b import x", "b": "from other import a"}, "p") == ["b", "a"]


def test_the_engine_knows_no_study():
    names = re.compile("|".join(re.escape(name) for name in known_studies()))
    told = [path.name for path in ENGINE.rglob("*.py") if names.search(path.read_text())]
    assert told == [] and names.search('load("ap1000plus")')
    kinds = [path.name for path in ENGINE.glob("*") if path.is_dir() and path.name != "__pycache__"]
    assert kinds == [], "what one study needs lies in its own folder"
