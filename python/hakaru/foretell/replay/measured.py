"""A level whose probe timed single messages and windows of messages: the replay then gives both, where LogGP's lines miss them.

With pp(s) half of a round trip and W(s) the time of each message of a window of many (facts ``pingpong`` and ``window``):

    g + G (s - 1) = W(s)                      linear between the sizes; beyond them with the slope of the longest ping-pongs
    o_s, o_r     <= W(s)                      each message of a window has both, on the two processors; unless they are SCATTER
                                              times as long: then a single call costs more than one of many (wake-ups, cold caches),
                                              and single calls are the common case. But where o_s + o_r > pp(s), a whole message was
                                              faster than the two calls, which were measured in a worse state than messages have
    later(s)      = pp(s) - (o_s + n L + G (s - 1) + o_r)      n = 1, or 3 by rendezvous

so that a single message takes pp(s), and many W(s) each. Both curves step where the protocol changes, between two sizes that were
measured: up to the eager limit they go on as below it, and from the next byte on as above it. Facts that a person sets for a replay
change their own part: ``later`` stays what it is by the facts as measured.
"""

from bisect import bisect_left

import msgspec

from hakaru.foretell.replay.documents.network import Level, Point, SizeClass, SizeClasses, at_size

Points = list[tuple[int, float]]
SCATTER = 1.5  # of two measurements of one overhead
OVERHEADS = ("send_overhead", "receive_overhead")
FAR = 1 << 40  # B: beyond the longest ping-pong its slope and the plain one go apart up to here
CLASSES = ("send_overhead", "receive_overhead", "gap", "gap_per_byte")


def refine(plain: Level, pingpong: Points, window: Points) -> Level:
    """The level from the plain LogGP one; both curves as ascending (bytes, s)."""
    if len(pingpong) < 2 or len(window) < 2:
        return plain
    pingpong, window = (stepping(points, plain.eager_limit_bytes) for points in (pingpong, window))
    window = _continued(window, pingpong)
    gap, gap_per_byte = _turns(window)
    overheads = {
        name: tuple(
            _at_most(piece, getattr(plain, other), window, pingpong) for piece in getattr(plain, name)
        )
        for name, other in (OVERHEADS, OVERHEADS[::-1])
    }
    level = msgspec.structs.replace(plain, gap=gap, gap_per_byte=gap_per_byte, **overheads)
    later = (
        Point(bytes=size, value_s=at(pingpong, size) - one_way_s(level, size))
        for size in _kinks(level, pingpong)
    )
    return msgspec.structs.replace(level, later=tuple(later))


def alone(plain: Level, pingpong: Points) -> Level:
    """The level where only single messages were published, as ascending (bytes, s): a single one takes pp(s), many follow each other by
    the plain g and G, which say nothing of protocols that change with the size."""
    if len(pingpong) < 2:
        return plain
    pingpong = stepping(pingpong, plain.eager_limit_bytes)
    later = (
        Point(bytes=size, value_s=at(pingpong, size) - one_way_s(plain, size))
        for size in [*_kinks(plain, pingpong), FAR]
    )
    return msgspec.structs.replace(plain, later=tuple(later))


def as_set(refined: Level, before: Level, after: Level) -> Level:
    """The refined level when facts were set: ``before`` and ``after`` are the plain ones of the facts as measured and as set."""
    changed: dict[str, SizeClasses] = {}
    for name in CLASSES:
        factor = _factor(getattr(before, name), getattr(after, name))
        if factor is not None and (pieces := getattr(refined, name)):
            changed[name] = tuple(piece.times(factor) for piece in pieces)
    return msgspec.structs.replace(after, later=refined.later, **changed)


def _factor(before: SizeClasses, after: SizeClasses) -> float | None:
    """By which all pieces were multiplied; None when they were replaced."""
    bounds = [[(piece.minimum_bytes, piece.maximum_bytes) for piece in some] for some in (before, after)]
    if bounds[0] != bounds[1]:
        return None
    ratios = [new.value_s / old.value_s for old, new in zip(before, after, strict=True) if old.value_s != 0.0]
    if not ratios:
        return 1.0
    return ratios[0] if max(ratios) - min(ratios) <= 1e-9 * max(ratios) else None


def stepping(points: Points, limit: int | None) -> Points:
    """The curve with a point at either side of the eager limit; as it is where no size beyond it or fewer than two below were measured.
    A single one beyond it tells what the other protocol takes, and its bytes take what eager ones do."""
    if limit is None:
        return points
    eager, longer = ([one for one in points if (one[0] > limit) == above] for above in (False, True))
    if len(eager) < 2 or not longer:
        return points
    first, first_s = longer[0]
    if len(longer) == 1:
        longer.append((2 * first, first_s + _slope(*eager[-2:]) * first))
    if first == limit + 1:
        return [*eager, *longer]
    before_s = min(at(eager, limit), first_s)
    after_s = max(first_s - _slope(*longer[:2]) * (first - limit - 1), before_s)
    return [*(one for one in eager if one[0] < limit), (limit, before_s), (limit + 1, after_s), *longer]


def _slope(one: tuple[int, float], other: tuple[int, float]) -> float:
    """Of a curve; even where it falls."""
    return max((other[1] - one[1]) / (other[0] - one[0]), 0.0)


def at(points: Points, size: int) -> float:
    """Linear between points, the first below them, the last slope (not falling) beyond them."""
    index = bisect_left(points, size, key=lambda point: point[0])
    if index == 0:
        return points[0][1]
    (low, low_s), (high, high_s) = points[index - 1 : index + 1] if index < len(points) else points[-2:]
    if size > high:
        return high_s + _slope((low, low_s), (high, high_s)) * (size - high)
    return low_s + (high_s - low_s) / (high - low) * (size - low)


def one_way_s(level: Level, size: int) -> float:
    """What the engine takes for a single message without ``later``."""
    rendezvous = level.eager_limit_bytes is not None and size > level.eager_limit_bytes
    gap_per_byte, gap = at_size(level.gap_per_byte, size), at_size(level.gap, size)
    return (
        at_size(level.send_overhead, size)
        + (3 if rendezvous else 1) * level.latency_s
        + max(gap_per_byte * max(size - 1, 0) + min(gap, 0.0), 0.0)
        + at_size(level.receive_overhead, size)
    )


def _continued(window: Points, pingpong: Points) -> Points:
    """Beyond its longest size the window grows as the ping-pong does."""
    longest = window[-1][0]
    more = [size for size, _ in pingpong if size > longest]
    return window + [
        (size, window[-1][1] + max(at(pingpong, size) - at(pingpong, longest), 0.0)) for size in more
    ]


def _turns(window: Points) -> tuple[SizeClasses, SizeClasses]:
    """Pieces of g and G. Where W falls with size it is taken as even up to the next size."""
    gaps, slopes = [], []

    def add(first: int, last: int | None, slope: float, size: int, seconds: float) -> None:
        piece = SizeClass(minimum_bytes=first, maximum_bytes=last, value_s=slope)
        slopes.append(piece)
        gaps.append(piece.lasting(seconds - slope * max(size - 1, 0)))

    for index, (size, seconds) in enumerate(window[:-1]):
        size_after, seconds_after = window[index + 1]
        slope = max((seconds_after - seconds) / (size_after - max(size, 1)), 0.0) if size_after > 1 else 0.0
        add(size if index else 0, size_after - 1, slope, size, seconds)
    add(window[-1][0], None, slopes[-1].value_s, *window[-1])
    return tuple(gaps), tuple(slopes)


def _at_most(piece: SizeClass, other: SizeClasses, window: Points, pingpong: Points) -> SizeClass:
    """The overhead of one end, ``other`` those of the other end."""
    ends = [end for end in (piece.minimum_bytes, piece.maximum_bytes) if end is not None]
    least_s = min(at(window, size) for size in ends)
    of_one_state = piece.value_s <= SCATTER * least_s
    too_long = any(piece.value_s + at_size(other, size) > at(pingpong, size) for size in ends)
    return piece.lasting(least_s) if least_s < piece.value_s and (of_one_state or too_long) else piece


def _kinks(level: Level, pingpong: Points) -> list[int]:
    """Sizes between which everything is linear: those of the curve, and both sides of the edges of size classes."""
    edges: set[int] = set()
    for name in CLASSES:
        edges |= {piece.maximum_bytes for piece in getattr(level, name) if piece.maximum_bytes is not None}
    if level.eager_limit_bytes is not None:
        edges.add(level.eager_limit_bytes)
    sizes = {size for size, _ in pingpong} | edges | {edge + 1 for edge in edges}
    return sorted(sizes)
