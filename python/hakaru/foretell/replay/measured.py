"""A level whose probe timed single messages and windows of messages: the replay then gives both, where LogGP's lines miss them.

With pp(s) half of a round trip and W(s) the time of each message of a window of many (facts ``pingpong`` and ``window``):

    g + G (s - 1) = W(s)                      linear between the sizes; beyond them with the slope of the longest ping-pongs
    o_s, o_r     <= W(s)                      each message of a window has both, on the two processors; unless they are SCATTER
                                              times as long: then a single call costs more than one of many (wake-ups, cold caches),
                                              and single calls are the common case
    later(s)      = pp(s) - (o_s + n L + G (s - 1) + o_r)      n = 1, or 3 by rendezvous

so that a single message takes pp(s), and many W(s) each. Facts that a person sets for a replay change their own part: ``later`` stays
what it is by the facts as measured.
"""

from bisect import bisect_left
from typing import Any

Document = dict[str, Any]
Points = list[tuple[int, float]]
SCATTER = 1.5  # of two measurements of one overhead
CLASSES = ("send_overhead", "receive_overhead", "gap", "gap_per_byte")


def refine(plain: Document, pingpong: Points, window: Points) -> Document:
    """The level's document from the plain LogGP one; both curves as ascending (bytes, s)."""
    if len(pingpong) < 2 or len(window) < 2:
        return plain
    window = _continued(window, pingpong)
    document = plain | dict(zip(("gap", "gap_per_byte"), _turns(window), strict=True))
    for name in ("send_overhead", "receive_overhead"):
        if plain.get(name):
            document[name] = [_at_most(piece, window) for piece in plain[name]]
    document["later"] = [
        {"bytes": size, "value_s": at(pingpong, size) - one_way_s(document, size)}
        for size in _kinks(document, pingpong)
    ]
    return document


def as_set(refined: Document, before: Document, after: Document) -> Document:
    """The refined document when facts were set: ``before`` and ``after`` are the plain ones of the facts as measured and as set."""
    result = after | {"later": refined["later"]} if "later" in refined else dict(after)
    for name in CLASSES:
        factor = _factor(before.get(name, []), after.get(name, []))
        if name in refined and factor is not None:
            result[name] = [piece | {"value_s": factor * piece["value_s"]} for piece in refined[name]]
    return result


def _factor(before: list[Document], after: list[Document]) -> float | None:
    """By which all pieces were multiplied; None when they were replaced."""
    bounds = [
        [(piece["minimum_bytes"], piece["maximum_bytes"]) for piece in some] for some in (before, after)
    ]
    if bounds[0] != bounds[1]:
        return None
    ratios = [
        new["value_s"] / old["value_s"]
        for old, new in zip(before, after, strict=True)
        if old["value_s"] != 0.0
    ]
    if not ratios:
        return 1.0
    return ratios[0] if max(ratios) - min(ratios) <= 1e-9 * max(ratios) else None


def at(points: Points, size: int) -> float:
    """Linear between points, the first below them, the last slope (not falling) beyond them."""
    index = bisect_left(points, size, key=lambda point: point[0])
    if index == 0:
        return points[0][1]
    (low, low_s), (high, high_s) = points[index - 1 : index + 1] if index < len(points) else points[-2:]
    slope = (high_s - low_s) / (high - low)
    return high_s + max(slope, 0.0) * (size - high) if size > high else low_s + slope * (size - low)


def one_way_s(document: Document, size: int) -> float:
    """What the engine takes for a single message without ``later``."""
    rendezvous = size > document.get("eager_limit_bytes", size)
    parts = {name: _value(document.get(name, []), size) for name in CLASSES}
    return (
        parts["send_overhead"]
        + (3 if rendezvous else 1) * document["latency_s"]
        + max(parts["gap_per_byte"] * max(size - 1, 0) + min(parts["gap"], 0.0), 0.0)
        + parts["receive_overhead"]
    )


def _value(pieces: list[Document], size: int) -> float:
    for piece in pieces:
        if piece["maximum_bytes"] is None or size <= piece["maximum_bytes"]:
            return piece["value_s"]
    return pieces[-1]["value_s"] if pieces else 0.0


def _continued(window: Points, pingpong: Points) -> Points:
    """Beyond its longest size the window grows as the ping-pong does."""
    longest = window[-1][0]
    more = [size for size, _ in pingpong if size > longest]
    return window + [
        (size, window[-1][1] + max(at(pingpong, size) - at(pingpong, longest), 0.0)) for size in more
    ]


def _turns(window: Points) -> tuple[list[Document], list[Document]]:
    """Pieces of g and G. Where W falls with size it is taken as even up to the next size."""
    gaps, slopes = [], []

    def add(first: int, last: int | None, slope: float, size: int, seconds: float) -> None:
        bounds = {"minimum_bytes": first, "maximum_bytes": last}
        gaps.append(bounds | {"value_s": seconds - slope * max(size - 1, 0)})
        slopes.append(bounds | {"value_s": slope})

    for index, (size, seconds) in enumerate(window[:-1]):
        size_after, seconds_after = window[index + 1]
        slope = max((seconds_after - seconds) / (size_after - max(size, 1)), 0.0) if size_after > 1 else 0.0
        add(size if index else 0, size_after - 1, slope, size, seconds)
    add(window[-1][0], None, slopes[-1]["value_s"], *window[-1])
    return gaps, slopes


def _at_most(piece: Document, window: Points) -> Document:
    inside = [piece["minimum_bytes"]] + (
        [piece["maximum_bytes"]] if piece["maximum_bytes"] is not None else []
    )
    least_s = min(at(window, size) for size in inside)
    within = least_s < piece["value_s"] <= SCATTER * least_s
    return piece | {"value_s": least_s if within else piece["value_s"]}


def _kinks(document: Document, pingpong: Points) -> list[int]:
    """Sizes between which everything is linear: those of the curve, and both sides of the edges of size classes."""
    edges: set[int] = set()
    for name in CLASSES:
        edges |= {
            piece["maximum_bytes"] for piece in document.get(name, []) if piece["maximum_bytes"] is not None
        }
    if "eager_limit_bytes" in document:
        edges.add(document["eager_limit_bytes"])
    sizes = {size for size, _ in pingpong} | edges | {edge + 1 for edge in edges}
    return sorted(sizes)
