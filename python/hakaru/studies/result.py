"""What a study gives: rows that hold a published number beside ours, and what is shown with them (schema/study-result.schema.json)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hakaru.studies.evidence import Basis, judged
from hakaru.studies.row import Row

__all__ = ["Result", "Row", "Section"]

SCHEMA = "hakaru/study-result/2"


@dataclass
class Section:
    """A part of the page: pictures (inline SVG with their explanations), a table and words."""

    title: str
    words: list[str] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)


@dataclass
class Result:
    """``basis``: what the study declares of its evidence, from which rows get their kinds."""

    rows: list[Row] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    basis: Basis = field(default_factory=Basis)

    def add(self, rows: Iterable[Row]) -> None:
        self.rows = judged([*self.rows, *rows], self.basis)

    def of(self, prefix: str) -> list[Row]:
        return [row for row in self.rows if row.id.startswith(prefix)]

    def as_dict(self, study: str) -> dict[str, object]:
        return {
            "schema": SCHEMA,
            "study": study,
            "rows": [row.as_dict() for row in self.rows],
            "parameters": [one.name for one in self.basis.parameters],
            "summary": self.summary,
            "assumptions": self.assumptions,
        }
