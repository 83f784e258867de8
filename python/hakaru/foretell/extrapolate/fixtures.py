"""Schedules of made-up programs on any number of ranks."""

from collections.abc import Callable

from hakaru.facts.schedules import Schedule
from hakaru.foretell.extrapolate.extrapolate import Given
from hakaru.foretell.extrapolate.grids import balanced

Operations = list[dict]


def schedule(
    of_rank: Callable[[int], Operations], ranks: int, program: str = "made-up", **more: object
) -> Schedule:
    """One stream a rank."""
    streams = [{"ranks": [[rank, rank, 1]], "operations": of_rank(rank)} for rank in range(ranks)]
    document = {
        "schema": "hakaru/schedule/1",
        "program": program,
        "description": "",
        "ranks": ranks,
        "phases": [],
        "communicators": [{"name": "world"}],
        "works": [],
        "lists": [],
        "streams": streams,
    }
    return Schedule.of(document | more)


def runs(program: Callable[..., Schedule], few: tuple[int, ...], **sizes: int) -> list[Given]:
    return [
        Given(program(ranks, **sizes), {k: float(v) for k, v in sizes.items()}, f"run-{ranks}")
        for ranks in few
    ]


def ring(ranks: int, n: int = 64, steps: int = 3, seconds: float = 0.0) -> Schedule:
    """Every rank hands its share once around."""
    share = 8 * (n // ranks)

    def of(rank: int) -> Operations:
        turn: Operations = []
        for step in range(1, ranks):
            turn += [
                {"do": "ireceive", "peer": (rank - step) % ranks, "tag": 0, "bytes": share, "request": 0},
                {"do": "send", "peer": (rank + step) % ranks, "tag": 0, "bytes": share},
                {"do": "wait", "request": 0},
            ]
        computing = [{"do": "compute", "seconds": seconds * n / ranks}] if seconds else []
        return [
            {
                "do": "repeat",
                "times": steps,
                "operations": [*computing, *turn, {"do": "allreduce", "bytes": 8}],
            }
        ]

    return schedule(of, ranks)


def butterfly(ranks: int, n: int = 64) -> Schedule:
    """Sums by exchange with the rank that differs in one bit after the other."""

    def of(rank: int) -> Operations:
        found: Operations = [{"do": "barrier"}]
        for bit in range(ranks.bit_length() - 1):
            found += [
                {"do": "ireceive", "peer": rank ^ (1 << bit), "tag": 0, "bytes": n, "request": 0},
                {"do": "send", "peer": rank ^ (1 << bit), "tag": 0, "bytes": n},
                {"do": "wait", "request": 0},
            ]
        return [*found, {"do": "barrier"}]

    return schedule(of, ranks)


def halo(ranks: int, n: int = 64, axes: int = 2, unfolded: bool = False, columns: bool = False) -> Schedule:
    """Neighbours on a grid, without tags that tell directions; ``unfolded``: as a trace says it; ``columns``: sent in pieces along the
    last axis, where they are as long as its rows."""
    extents = balanced(ranks, axes)

    def of(rank: int) -> Operations:
        turn: Operations = []
        stride = ranks
        for axis, extent in enumerate(extents):
            stride //= extent
            at = rank // stride % extent
            area = 8
            for other, parts in enumerate(extents):
                area *= n // parts if other != axis else 1
            for there in (at - 1, at + 1):
                if 0 <= there < extent:
                    peer = rank + (there - at) * stride
                    pieces = {"piece": 8 * (n // extents[0])} if columns and axis == axes - 1 else {}
                    message = {"peer": peer, "tag": 7, "bytes": area} | pieces
                    turn.append({"do": "ireceive", "request": 0} | message)
                    turn.append({"do": "send"} | message)
                    turn.append({"do": "wait", "request": 0})
        if unfolded:
            return [*(turn * 5), {"do": "barrier"}]
        return [{"do": "repeat", "times": 5, "operations": turn}, {"do": "barrier"}]

    return schedule(of, ranks)


def rows(ranks: int, n: int = 64) -> Schedule:
    """Collectives over the rows of a grid, and a root."""
    first, second = balanced(ranks, 2)
    groups = [[[row * second, row * second + second - 1, 1]] for row in range(first)]

    def of(rank: int) -> Operations:
        return [
            {"do": "allgather", "bytes": 8 * (n // second), "communicator": 1},
            {"do": "reduce", "bytes": 8 * n, "root": 0},
        ]

    families = [{"name": "world"}, {"name": "rows", "groups": groups}]
    return schedule(of, ranks, communicators=families)


def spread(ranks: int, n: int = 100) -> Schedule:
    """Shares that ranks do not divide evenly, the longer ones first, of a size that is said by nobody."""

    def of(rank: int) -> Operations:
        return [{"do": "file_write", "bytes": 16 * (n // ranks + (rank < n % ranks))}, {"do": "barrier"}]

    return schedule(of, ranks)
