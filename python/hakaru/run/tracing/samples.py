"""What ``hakaru_trace_profile`` prints of the samples that the watcher left (native/trace/profile/output.cpp)."""

from typing import Literal

from hakaru.facts.strict import Strict
from hakaru.facts.traces.profile import Frame, Module, ProfiledThread


class Stack(Strict):
    """``periods``: of the sampler, whose length is the process's."""

    thread: int
    phase: str
    walked: Literal["whole", "cut", "none"]
    frames: tuple[int, ...]
    samples: int
    periods: float


class Process(Strict):
    """``rank`` -1: none; ``damage``: where the file stops to make sense; ``lost_reason``: an errno."""

    file: str
    host: str
    process_id: int
    program: str
    rank: int
    world_size: int
    world_id: str
    period_s: float
    ended: bool
    stepped_aside: bool
    damage: str
    cpu_s: float
    lost: int
    lost_reason: int
    threads: tuple[ProfiledThread, ...]
    stacks: tuple[Stack, ...]


class Samples(Strict):
    """``refused``: files that cannot be read, in words."""

    processes: tuple[Process, ...]
    modules: tuple[Module, ...]
    frames: tuple[Frame, ...]
    refused: tuple[str, ...]
