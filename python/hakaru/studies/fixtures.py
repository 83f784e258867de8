"""Small schedules with the counts of the paper's Table 5, for tests that have no built programs."""

from typing import Any

Operations = list[dict[str, Any]]


def _repeat(times: int, operations: Operations) -> dict[str, Any]:
    return {"do": "repeat", "times": times, "operations": operations}


_COMPUTE = {"do": "compute", "work": 0}
_BARRIER = {"do": "barrier"}
_SUM = {"do": "allreduce", "bytes": 8}


def _put(shift: int, size: int) -> dict[str, Any]:
    return {"do": "put", "shift": shift, "tag": 1, "bytes": size}


def _moved(ranks: int, pieces: int, size: int) -> Operations:
    """Every rank puts so many pieces to everyone, itself included, and waits for as many."""
    puts = [_put(shift % ranks, size) for shift in range(1, ranks + 1) for _ in range(pieces)]
    return [*puts, {"do": "flag_wait", "tag": 1, "bytes": ranks * pieces}]


def _cg(_: int) -> Operations:
    step = [_COMPUTE, _put(1, 700), {"do": "flag_wait", "tag": 1, "bytes": 1}]
    step += [{"do": "allreduce", "bytes": 11200}, _SUM, _SUM, *[_BARRIER] * 8]
    return [_repeat(390, step), *[_SUM] * 30, *[_BARRIER] * 15]


def _ft(ranks: int) -> Operations:
    return [_repeat(28, [_COMPUTE, *_moved(ranks, 5, 1638), *[_BARRIER] * 3]), *[_SUM] * 48]


def _sp(ranks: int) -> Operations:
    return [_repeat(180, [_COMPUTE, *_moved(ranks, 1, 1422), _BARRIER, _BARRIER])]


def _tomcatv(_: int) -> Operations:
    step = [_COMPUTE, *[_put(shift, 2056) for shift in (1, -1, 1, -1)]]
    step += [{"do": "flag_wait", "tag": 1, "bytes": 4}, _SUM, _SUM, *[_BARRIER] * 6]
    return [_repeat(100, step)]


def _matmul(ranks: int) -> Operations:
    """The rows of the next rank are fetched while those of this one are multiplied."""
    operations: Operations = []
    for shift in range(ranks):
        operations.append({"do": "get", "shift": shift, "tag": 1, "bytes": 9600})
        if shift > 0:
            operations.append(_COMPUTE)
        operations.append({"do": "flag_wait", "tag": 1, "bytes": 1})
    return [*operations, _COMPUTE]


def _scg(_: int) -> Operations:
    halo = [_put(1, 1600), _put(-1, 1600), _COMPUTE, {"do": "flag_wait", "tag": 1, "bytes": 2}]
    sends: Operations = []
    for shift in (1, -1):
        sends += [{"do": "ireceive", "shift": -shift, "tag": 2, "bytes": 0, "request": 0}]
        sends += [{"do": "send", "shift": shift, "tag": 2, "bytes": 0}, {"do": "wait", "request": 0}]
    return [_SUM, _repeat(446, [*halo, *sends, _SUM, _COMPUTE, _SUM])]


_PROGRAMS = {"ep": lambda _: [_COMPUTE], "cg": _cg, "ft": _ft, "sp": _sp, "tomcatv": _tomcatv}
_PROGRAMS |= {"matmul": _matmul, "scg": _scg}


def table_five(program: str, ranks: int) -> dict[str, Any]:
    """The schedule of one of the seven programs (``ep``, ``cg``, ...); rings instead of strips, one amount of work everywhere."""
    return {
        "schema": "hakaru/schedule/1",
        "program": program,
        "description": "counts of table 5",
        "ranks": ranks,
        "phases": [],
        "works": [{"flops": 1e6, "bytes": 0, "bytes_write_allocate": 0}],
        "lists": [],
        "communicators": [{"name": "world"}],
        "streams": [{"ranks": [[0, ranks - 1, 1]], "operations": _PROGRAMS[program](ranks)}],
    }
