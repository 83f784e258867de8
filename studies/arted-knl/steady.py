"""Time steps of a schedule alone, again and again, without how a run begins and ends; and the halo of a film in other ways."""

from collections.abc import Callable

import msgspec

from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.schedule import Operation, Operations

EXCHANGE = "exchange"


def steady(schedule: Schedule, steps: int) -> Schedule:
    """Of each rank the loop of its steps, so many times; all it does where it has no loop."""
    return _changed(schedule, lambda operations: _loops(operations, steps))


def _changed(schedule: Schedule, change: Callable[[Operations], Operations]) -> Schedule:
    """``change`` of the operations of every stream."""
    streams = tuple(
        msgspec.structs.replace(stream, operations=change(stream.operations)) for stream in schedule.streams
    )
    return msgspec.structs.replace(schedule, streams=streams)


def _loops(operations: Operations, steps: int) -> Operations:
    loops = tuple(msgspec.structs.replace(one, times=steps) for one in operations if one.do == "repeat")
    return loops or operations


def with_halo(schedule: Schedule, instead: Operations) -> Schedule:
    """Every rank does ``instead`` where it exchanged with its neighbours."""
    return _changed(schedule, lambda operations: _exchanged(operations, instead))


def _exchanged(operations: Operations, instead: Operations) -> Operations:
    found: list[Operation] = []
    inside = False
    for one in operations:
        mark = one.is_mark and one.phase == EXCHANGE
        if mark and one.do == "end":
            found += instead
        inside = one.do == "begin" if mark else inside
        if mark or not inside:
            found.append(_within(one, instead))
    return tuple(found)


def _within(one: Operation, instead: Operations) -> Operation:
    if one.operations is None:
        return one
    return msgspec.structs.replace(one, operations=_exchanged(one.operations, instead))
