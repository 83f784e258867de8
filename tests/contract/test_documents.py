"""The documents are true: every folder is on the map, every command line names a command, links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from pages import documents, name_of

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.cli import register_commands
from hakaru.cli import root as app
from hakaru.tell.documents import Request, algorithms, build, commands, formats, leaves, machines
from hakaru.tell.documents.build import CHECKED, SITE, make_site
from hakaru.tell.documents.links import LINK

pytestmark = pytest.mark.skipif(
    not (root() / "ARCHITECTURE.md").is_file(), reason="an installed package has no documents"
)


def folders() -> list[str]:
    """Top-level folders and the packages of python/hakaru and native that hold tracked kinds of files."""
    ignored = {"build", "hakaru-results", "dist", "__pycache__"}
    top = [
        path
        for path in root().iterdir()
        if path.is_dir() and not path.name.startswith(".") and path.name not in ignored
    ]
    nested = [
        path
        for parent in ("native", "python/hakaru")
        for path in (root() / parent).iterdir()
        if path.is_dir() and path.name not in ignored and path.name != "source"
    ]
    plain = [path for path in top if path.name not in ("native", "python")]
    return sorted(f"{path.relative_to(root())}/" for path in plain + nested if any(path.iterdir()))


@pytest.mark.parametrize("folder", folders())
def test_every_folder_is_on_the_map(folder):
    assert f"`{folder}`" in (root() / "ARCHITECTURE.md").read_text(), (
        f"ARCHITECTURE.md does not name {folder}"
    )


def test_the_map_names_no_folder_that_is_gone():
    table = (root() / "ARCHITECTURE.md").read_text()
    for name in re.findall(r"^\| `([^`]+/)` \|", table, re.MULTILINE):
        assert (root() / name).is_dir(), f"ARCHITECTURE.md names {name}, which does not exist"


COMMAND = re.compile(r"^(?:\$ )?(?:sudo )?(?:[A-Z_]+=\S+ )?(?:\./)?hakaru (?=[a-z-])(.+)$")


def commands_in(text: str) -> list[str]:
    """Command lines of hakaru in fenced and indented code and between backticks, without ``hakaru`` itself."""
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += [line.strip() for line in prose.splitlines() if line.startswith("    ")]
    lines += [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    return [match[1] for match in map(COMMAND.match, lines) if match]


def command_line():
    """The root of hakaru's command line."""
    if not app.registered_commands:
        register_commands()
    return typer.main.get_command(app)


def fault(line: str) -> str | None:
    """What is wrong with a command line: no such command or option, or an option without its value; None when nothing is."""
    words = [word for word in shlex.split(line, comments=True) if word != "..."]
    command, names = command_line(), []
    while words and words[0] in getattr(command, "commands", {}):
        names.append(words.pop(0))
        command = command.commands[names[-1]]
    if words and hasattr(command, "commands") and not words[0].startswith("-"):
        return f"there is no command {' '.join([*names, words[0]])}"
    try:
        command.make_parser(command.context_class(command, info_name="hakaru")).parse_args(words)
    except Exception as error:
        return f"{' '.join(names)}: {getattr(error, 'message', error)}"
    return None


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_command_line_names_a_command_and_options(path):
    found = {line: fault(line) for line in commands_in(path.read_text())}
    assert not {line: why for line, why in found.items() if why}


def test_there_are_command_lines_to_check():
    assert len([line for path in documents() for line in commands_in(path.read_text())]) > 60


@pytest.mark.parametrize(
    "line", ["predikt", "predict --trak-record", "lab upp", "lab up --host 2", "replay x --machine"]
)
def test_a_wrong_command_line_is_seen(line):
    assert commands_in(f"`./hakaru {line}`") == commands_in(f"```\nsudo ./hakaru {line}\n```") == [line]
    assert fault(line)


def long_lines(text: str) -> list[str]:
    """Prose lines of more than 120 characters. Tables, code blocks and lines with a link may be longer."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [
        line
        for line in prose.splitlines()
        if len(line) > 120 and not line.startswith("|") and "](" not in line
    ]


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_lines_can_be_read(path):
    assert not long_lines(path.read_text())


def test_a_long_line_is_seen():
    words = "word " * 30
    assert long_lines(f"short\n{words}\n") == [words]
    assert not long_lines(f"| {words} |\n```\n{words}\n```\n[{words}](there)\n")


def test_the_site_has_no_fault(tmp_path):
    pages = build(Request(command_line(), tmp_path, check=True)) / "reference"
    for page, words in (
        ("commands/predict", "--track-record"),
        ("commands/lab", "hakaru lab up"),
        ("leaves/himeno", "decomposition"),
        ("formats/record", "repetitions"),
        ("machines/fx1", "SS-ken"),
    ):
        assert words in (pages / f"{page}.md").read_text(), page


# Pages that `hakaru docs` makes; whether they are there is seen by test_the_site_has_no_fault.
MADE = tuple(
    str(root() / "docs" / place)
    for place in (algorithms.PLACE, commands.FOLDER, formats.FOLDER, leaves.FOLDER, machines.FOLDER)
)


def dead_links(path: Path) -> list[str]:
    """Links to files that neither exist nor are made for the site."""
    files = [target.partition("#")[0] for _, target in LINK.findall(path.read_text()) if ":" not in target]
    gone = [file for file in files if file and not (path.parent / file).exists()]
    return [file for file in gone if not str((path.parent / file).resolve()).startswith(MADE)]


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_links_lead_to_files(path):
    assert not dead_links(path)


def test_a_dead_link_is_seen(tmp_path):
    (tmp_path / "page.md").write_text("[a](gone.md#there), [b](page.md#there), [c](#there), [d](http://x)\n")
    assert dead_links(tmp_path / "page.md") == ["gone.md"]


def page_with(link: str, folder: Path) -> Path:
    (folder / "source").mkdir()
    (folder / "source" / "index.md").write_text(f"# A page\n\n[a link]({link})\n")
    return folder / "source"


@pytest.mark.parametrize("builder", [SITE, CHECKED])
@pytest.mark.parametrize("link", ["gone.md", "index.md#gone"])
def test_a_link_that_leads_nowhere_is_seen(tmp_path, link, builder):
    with pytest.raises(UserError, match="index.md:3.*gone"):
        make_site(page_with(link, tmp_path), tmp_path, builder)


def test_a_site_can_be_opened(tmp_path):
    make_site(page_with("index.md#a-page", tmp_path), tmp_path, SITE)
    assert 'href="#a-page"' in (tmp_path / SITE / "index.html").read_text()


def test_readme_starts_with_the_two_commands():
    first_screen = "\n".join((root() / "README.md").read_text().splitlines()[:40])
    for expected in ("./hakaru run", "./hakaru test", "ARCHITECTURE.md", "CONTRIBUTING.md"):
        assert expected in first_screen
