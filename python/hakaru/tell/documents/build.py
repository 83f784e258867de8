"""Puts written and generated pages into one folder, and lets Sphinx make a site of them."""

import io
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.tell.documents import algorithms, commands, formats, leaves, machines
from hakaru.tell.documents.links import Page, moved

SETTINGS = {
    "project": "hakaru",
    "extensions": ["myst_parser"],
    "myst_heading_anchors": 4,
    "html_theme": "furo",
    "html_title": "hakaru",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "highlight_language": "text",
    "html_use_index": False,
}
MOST_WARNINGS = 5  # of one message
SITE, CHECKED = "html", "pseudoxml"  # builders of Sphinx


@dataclass(frozen=True)
class Request:
    """``commands``: the root of the command line. ``output``: the site's folder; None: ``build/docs`` of the checkout.
    ``check``: read the pages and follow their links only, which takes a third of the time."""

    commands: Any
    output: Path | None = None
    check: bool = False


def build(request: Request) -> Path:
    """Writes the site; the first page's file, or the folder of the pages when they are only checked.

    Raises UserError when a link leads nowhere.
    """
    if not (root() / "docs").is_dir():
        raise UserError("hakaru's documents are not here", "an installed copy has none", "use a checkout")
    folder = request.output or root() / "build" / "docs"
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    stage(source, request.commands)
    if request.check:
        make_site(source, folder, CHECKED)
        return source
    make_site(source, folder, SITE)
    return folder / SITE / "index.html"


def stage(source: Path, command_line: Any) -> None:
    """All pages of the site, written and generated, in one folder."""
    shutil.copytree(root() / "docs", source)
    written = list(written_pages())
    for page in written:
        _write(source / page.place, moved(page, written))
    generators: tuple[Callable[[], Iterable[tuple[str, str]]], ...] = (
        lambda: commands.pages(command_line),
        lambda: leaves.pages(written),
        formats.pages,
        machines.pages,
        algorithms.pages,
    )
    for generate in generators:
        for place, text in generate():
            _write(source / place, text)


def written_pages() -> Iterable[Page]:
    """What people wrote, and where on the site it stands."""
    for path in sorted((root() / "docs").rglob("*.md")):
        yield Page(path, str(path.relative_to(root() / "docs")))
    yield Page(root() / "ARCHITECTURE.md", "explanation/architecture.md")
    yield Page(root() / "CONTRIBUTING.md", "how-to/contribute.md")
    for path in sorted((root() / "studies").glob("[!_]*/README.md")):
        yield Page(path, f"reference/studies/{path.parent.name}.md")
    for path in leaves.readmes():
        yield Page(path, leaves.place(path.parent.name))


def make_site(source: Path, folder: Path, builder: str) -> None:
    """Lets a builder of Sphinx read the pages in ``source``. Raises UserError with the first warnings."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    told = io.StringIO()
    try:
        with patch_docutils(), docutils_namespace():  # a process may build more than one site
            site = Sphinx(
                source,
                None,
                folder / builder,
                folder / "trees",
                builder,
                confoverrides=SETTINGS,
                status=None,
                warning=told,
                freshenv=True,
            )
            site.build(force_all=True)
    except SphinxError as error:
        raise UserError("the documents cannot be built", str(error), "mend the page that it names") from error
    lines = re.sub(r"\x1b\[[0-9;]*m", "", told.getvalue()).splitlines()
    warnings = [
        line.removeprefix(f"{source}/") for line in lines if re.search("WARNING|ERROR|CRITICAL", line)
    ]
    if warnings:
        raise UserError(
            f"the documents have {len(warnings)} faults",
            "; ".join(warnings[:MOST_WARNINGS]),
            f"mend the pages that these came from (they were put together in {source})",
        )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
