"""The page of a study: one self-contained HTML file that opens offline, without script."""

from pathlib import Path

from hakaru.base import units
from hakaru.base.files import write_atomically
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study
from hakaru.tell.shell import fill


def write_page(path: Path, study: Study, result: Result, command: str) -> None:
    """Raises UserError when it cannot be written."""
    text = page(study, result, command).encode()
    write_atomically(path, lambda file: file.write(text))


def page(study: Study, result: Result, command: str) -> str:
    """Same result, same page, byte by byte."""
    from markupsafe import Markup

    sections = [
        {
            "title": section.title,
            "words": section.words,
            "pictures": [(Markup(svg), explanation) for svg, explanation in section.pictures],
            "columns": section.columns,
            "lines": section.lines,
        }
        for section in result.sections
    ]
    return fill(
        Path(__file__).with_name("page.html.j2"),
        study=study,
        summary=result.summary,
        sections=sections,
        assumptions=result.assumptions,
        rows=[_line(row) for row in result.rows],
        command=command,
    )


def _line(row: Row) -> list[str]:
    numbers = ["" if value is None else units.digits(value) for value in (row.published, row.ours)]
    error = "" if row.error is None else f"{row.error:+.1%}"
    return [row.id, *numbers, error, row.unit, row.kind]
