"""Transparent huge pages: with 4 KiB pages only, memory latency contains page walks."""

import re

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "huge pages"


def check(system: System) -> Finding:
    text = system.read("sys/kernel/mm/transparent_hugepage/enabled")
    chosen = re.search(r"\[(\w+)\]", text or "")
    if not chosen:
        return unavailable("this kernel has none", "memory latency will contain page walks")
    if chosen.group(1) == "never":
        return bad(
            "never: memory latency contains page walks",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        )
    if chosen.group(1) == "always":
        return fine("always: large arrays get them when memory is not fragmented")
    return fine(f"{chosen.group(1)}: programs that ask for them get them")
