"""What a check found."""

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["ok", "warning", "not available here"]


@dataclass(frozen=True)
class Finding:
    """``found`` says what is so, ``what_to_do`` what a person can do; ``figures`` are in SI base units."""

    status: Status
    found: str
    what_to_do: str = ""
    figures: dict[str, float] = field(default_factory=dict)


def fine(found: str, **figures: float) -> Finding:
    return Finding("ok", found, figures=figures)


def bad(found: str, what_to_do: str, **figures: float) -> Finding:
    return Finding("warning", found, what_to_do, figures)


def unavailable(why: str, what_to_do: str = "") -> Finding:
    return Finding("not available here", why, what_to_do)
