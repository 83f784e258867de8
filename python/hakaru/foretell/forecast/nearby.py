"""Sizes near a wanted one that a program takes."""

from collections.abc import Callable, Mapping

from hakaru.base.errors import UserError

NEAR = (0, 16, -16, 4, -4)
Sizes = Mapping[str, int]  # values of the parameters that set the size


def round_size(size: float) -> float:
    """Nearest multiple of 16, or of 1 below 32: sizes that most grids accept."""
    step = 16.0 if size >= 32.0 else 1.0
    return round(size / step) * step


def taken(wanted: Sizes, takes: Callable[[Sizes], bool]) -> Sizes | None:
    """These, or the nearest around them that ``takes`` says yes to; None where none is, or where it raises UserError."""
    try:
        near = ({name: value + off for name, value in wanted.items()} for off in NEAR)
        return next((sizes for sizes in near if takes(sizes)), None)
    except UserError:
        return None
