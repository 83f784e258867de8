"""One self-contained HTML page in the report's style from a template, for commands that write a page of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def fill(template: Path, *, filters: dict[str, Callable] | None = None, **values: Any) -> str:
    """The template with its values, escaped; ``style`` and ``version`` are given to every one. Only the style and what is given as
    Markup are not escaped: both are written by hakaru."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from hakaru import __version__

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters or {})
    style = Markup((Path(__file__).parent / "style.css").read_text(encoding="utf-8"))
    return environment.get_template(template.name).render(style=style, version=__version__, **values)
