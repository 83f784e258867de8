"""Links between files of the checkout, as they are on the site, where the same files stand elsewhere."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.paths import root

LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Page:
    """A file of the checkout and its place on the site."""

    path: Path
    place: str

    @property
    def on_the_site(self) -> Path:
        return root() / "docs" / self.place


def moved(page: Page, pages: Sequence[Page]) -> str:
    """The page's text with links that hold at its place; what is no page of the site is named, not linked.

    A link to a file that does not exist stays, so that the site's builder tells it.
    """
    places = {other.path.resolve(): other for other in pages}

    def followed(match: re.Match) -> str:
        words, target = match.groups()
        file, mark, anchor = target.partition("#")
        path = (page.path.parent / file).resolve()
        if not file or ":" in file or path.suffix == ".svg" or not path.exists():
            return match.group(0)
        if path in places:
            relative = os.path.relpath(places[path].on_the_site, page.on_the_site.parent)
            return f"[{words}]({relative}{mark}{anchor})"
        if path.is_relative_to(root() / "docs"):
            return match.group(0)
        return words if "`" in words else f"{words} (`{os.path.relpath(path, root())}`)"

    return LINK.sub(followed, page.path.read_text())
