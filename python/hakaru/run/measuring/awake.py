"""Cores that do not fall idle: a hypervisor moves those that slept (native/measure/awake.cpp)."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hakaru.base import processes
from hakaru.facts import native
from hakaru.run.doctor.system import System

TOOL = "hakaru_awake"


@contextmanager
def awake(say: Callable[[str], None], system: System | None = None) -> Iterator[None]:
    """On a virtual machine, while it is entered: every core has a thread that runs when nobody else of our session would; the kernel heeds
    classes within sessions only (sched(7), autogroup). Says so where that cannot be had.

    Raises UserError where the tool is not built."""
    if not (system or System()).is_virtual():
        yield
        return
    keeper = subprocess.Popen(
        [str(native.tool(TOOL))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        if not keeper.stdout.readline():
            say(
                f"cores may be moved when they sleep: {keeper.stderr.read().strip() or 'nothing keeps them awake'}"
            )
        yield
    finally:
        processes.end(keeper)
