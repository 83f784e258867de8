"""A row of a study: a published number beside ours."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """``published`` is None where the publication has no such number. ``kind``: ``measured`` where ours is counted or timed, else empty until
    ``evidence.judged`` tells. ``of``: everything that ours is computed from, where no replay and no other published number goes in:
    ids of rows, names of parameters and of given numbers; ``parts``: rows of which ours is the sum."""

    id: str
    published: float | None
    ours: float | None
    unit: str
    kind: str = ""
    of: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def error(self) -> float | None:
        """(ours - published) / published."""
        if self.ours is None or not self.published:
            return None
        return self.ours / self.published - 1.0

    def as_dict(self) -> dict[str, str | float | None]:
        return {
            "id": self.id,
            "published": self.published,
            "ours": self.ours,
            "unit": self.unit,
            "kind": self.kind,
        }
