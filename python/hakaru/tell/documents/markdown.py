"""Small pieces of Markdown: text that means itself, and tables."""

import re
from collections.abc import Iterable, Sequence


def plain(text: object) -> str:
    """The text as it is: what Markdown would read as markup, escaped, in one line."""
    return re.sub(r"([\\`*_<>|{}\[\]#$~])", r"\\\1", " ".join(str(text).split()))


def code(text: object) -> str:
    """The text as code, in one line; nothing for no text."""
    words = " ".join(str(text).split()).replace("|", "\\|")
    return f"`` {words} ``" if "`" in words else f"`{words}`" if words else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already, less columns without a word; nothing without rows."""
    cells = list(rows)
    used = [place for place in range(len(columns)) if any(row[place] for row in cells)]
    lines = [[row[place] for place in used] for row in [columns, *cells]]
    if not cells:
        return ""
    head, *body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([head, "|" + "---|" * len(used), *body]) + "\n"


def section(title: str, *parts: str, level: int = 2) -> str:
    """A heading and what stands below it; nothing when nothing does."""
    body = "\n".join(part for part in parts if part)
    return f"\n{'#' * level} {title}\n\n{body}" if body else ""


def listing(title: str, about: str, names: Iterable[str]) -> str:
    """A page that lists other pages."""
    pages = "\n".join(names)
    return f"# {title}\n\n{about}\n\n```{{toctree}}\n:maxdepth: 1\n\n{pages}\n```\n"
