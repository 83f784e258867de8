"""Whether points fit into this machine's memory, by the user's word or by what smaller runs needed: refused before anything starts."""

import os
from collections.abc import Sequence

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.records import RecordStore
from hakaru.foretell.forecast import memory
from hakaru.run.campaign.plan import Point


def require(points: Sequence[Point], store: RecordStore) -> None:
    """Raises UserError naming the first point that does not fit."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    records = store.all(program=points[0].program) if points else []
    for point in points:
        work = point.work()
        needed, how = work.memory_bytes or 0.0, "by its file"
        held = memory.foretell(records, work)
        if held and held.node.low > needed:
            needed, how = held.node.low, "at least, by what smaller runs needed"
        if needed > there:
            raise UserError(
                f"{point.label} does not fit",
                f"it needs {units.capacity(needed)} of memory ({how}), and there are {units.capacity(there)}",
                "leave it out, or measure it on a larger machine",
            )
