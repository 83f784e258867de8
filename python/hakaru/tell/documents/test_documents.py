"""What the generated pages say, on small made-up things."""

import pytest
import typer

from hakaru.facts.algorithms import Algorithm, Setting
from hakaru.tell.documents import algorithms, commands, formats
from hakaru.tell.documents.markdown import plain, table


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"type": "integer", "minimum": 1}, "integer, at least 1"),
        (
            {"type": ["null", "number"], "minimum": 0, "maximum": 2.5},
            "null or number, at least 0, at most 2.5",
        ),
        ({"minimum": 1}, "at least 1"),
        ({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/span"}]}, "null or part `span`"),
        ({"type": "array", "items": {"type": "string"}}, "list of: string"),
        ({"enum": ["a", 1]}, '`"a"`, `1`'),
    ],
)
def test_kinds_of_values(node, words):
    assert formats.kind(node) == words


def test_fields_within_objects_and_lists_have_paths():
    inner = {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
    schema = {"properties": {"phases": inner}, "required": ["phases"]}
    rows = [(row[0], row[2]) for row in formats.fields(schema)]
    assert rows == [("`phases`", "yes"), ("`phases[].name`", "")]


def test_a_column_without_a_word_is_left_out():
    assert table(("a", "b"), [("1", ""), ("2", "")]) == "| a |\n|---|\n| 1 |\n| 2 |\n"
    assert table(("a",), []) == ""


def test_markup_in_text_means_itself():
    assert plain("a_b <path>\n *x* |") == r"a\_b \<path\> \*x\* \|"


def test_a_command_shows_its_options_and_defaults():
    app = typer.Typer()

    @app.command("weigh")
    def weigh(what: str, often: int = typer.Option(3, "--often", help="How often.")) -> None:
        """Weigh it."""

    @app.command("other")
    def other() -> None: ...

    pages = dict(commands.pages(typer.main.get_command(app)))
    page = pages["reference/commands/weigh.md"]
    assert page.startswith("# hakaru weigh\n\nWeigh it.\n")
    assert "hakaru weigh [OPTIONS] WHAT" in page
    assert "| `--often` | How often. | `3` |" in page
    assert "weigh" in pages["reference/commands/index.md"]


def test_an_algorithm_shows_what_libraries_call_it():
    given = {"collective": "alltoall", "mpi_name": "alltoall", "about": "all at once"}
    rows = (
        Algorithm(**given, name="spread", openmpi=(Setting(number=1, name="linear"),), mpich="scattered"),
        Algorithm(**given, name="bruck", openmpi=(Setting(number=3, name="bruck"),), mpich=None),
    )
    page = algorithms.described(rows)
    assert "## alltoall" in page
    assert "| `spread` | all at once | 1 (linear) | `scattered` |" in page
    assert "| `bruck` | all at once | 3 |  |" in page
