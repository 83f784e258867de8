"""A chart of characters: values over dates, with lines where the level changed."""

from collections.abc import Sequence

from hakaru.base import units

HEIGHT = 9  # lines
POINT, CHANGE, LEVEL = "•", "│", "─"


def chart(
    places: Sequence[float], values: Sequence[float], levels: Sequence[tuple[int, int, float]], width: int
) -> list[str]:
    """Lines with the values (s, upwards) at ``places`` (0 to 1). ``levels``: first value, one behind the last, and the level between."""
    low, high = min(values), max(values)
    if high == low:
        low, high = 0.5 * low, 1.5 * high or 1.0
    labels = [units.seconds(high - (high - low) * line / (HEIGHT - 1)) for line in range(HEIGHT)]
    margin = max(map(len, labels))
    columns = max(10, width - margin - 3)
    grid = [[" "] * columns for _ in range(HEIGHT)]

    def column(place: float) -> int:
        return round(place * (columns - 1))

    def line(value: float) -> int:
        return round((high - value) / (high - low) * (HEIGHT - 1))

    for number, (begin, end, level) in enumerate(levels):
        if number:
            middle = column(0.5 * (places[begin - 1] + places[begin]))
            for row in grid:
                row[middle] = CHANGE
        for at in range(column(places[begin]), column(places[end - 1]) + 1):
            if len(levels) > 1:
                grid[line(level)][at] = LEVEL
    for place, value in zip(places, values, strict=True):
        grid[line(value)][column(place)] = POINT
    return [f"{label:>{margin}} ┤{''.join(row).rstrip()}" for label, row in zip(labels, grid, strict=True)]


def axis(first: str, last: str, margin: int, width: int) -> str:
    """The line of dates below a chart."""
    room = max(len(first) + 1, width - margin - 1 - len(last))
    return " " * (margin + 2) + f"{first:<{room - 2}}{last}"
