"""What a study gives: rows that hold a published number beside ours, and what is shown with them (schema/study-result.schema.json)."""

from dataclasses import dataclass, field
from typing import Any

SCHEMA = "hakaru/study-result/1"
KINDS = ("prediction", "fitted", "measured")


@dataclass(frozen=True)
class Row:
    """``published`` is None where the publication has no such number. ``measured`` rows are counted or timed, not modelled."""

    id: str
    published: float | None
    ours: float | None
    unit: str
    kind: str

    @property
    def error(self) -> float | None:
        """(ours - published) / published."""
        if self.ours is None or not self.published:
            return None
        return self.ours / self.published - 1.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "published": self.published,
            "ours": self.ours,
            "unit": self.unit,
            "kind": self.kind,
        }


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
    rows: list[Row] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    def of(self, prefix: str) -> list[Row]:
        return [row for row in self.rows if row.id.startswith(prefix)]

    def as_dict(self, study: str) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "study": study,
            "rows": [row.as_dict() for row in self.rows],
            "summary": self.summary,
            "assumptions": self.assumptions,
        }
