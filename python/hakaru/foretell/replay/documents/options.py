"""The options document: how computing is priced, noise, how links are shared, what the result shall hold. SI units."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Seconds
from hakaru.foretell.replay.choices import LINKS
from hakaru.foretell.replay.documents.network import Library, Price

Rate = Annotated[float, Meta(gt=0.0)]
Factor = Annotated[float, Meta(ge=0.0)]
Sharing = Literal[LINKS]


class Roofline(Strict, kw_only=True):
    """Rates of a rank in flop/s and B/s; ``write_allocate``: bytes count the read of each written line."""

    flop_rate: Rate
    memory_bandwidth: Rate
    write_allocate: bool = False


class Detours(Strict, kw_only=True):
    """Of one length."""

    rate_per_s: Seconds
    detour_s: Seconds


class Noise(Strict, omit_defaults=True, kw_only=True):
    """What interrupts computing, and calls of MPI where ``calls`` says so; which of the numbers belong to a kind is in docs/reference/replay-engine.md."""

    kind: Literal["none", "periodic", "exponential", "gaussian", "empirical", "detours"]
    relative_deviation: Factor | None = None
    period_s: Seconds | None = None
    detour_s: Seconds | None = None
    together: bool = False
    mean_s: Seconds | None = None
    samples_s: tuple[Seconds, ...] | None = None
    detours: tuple[Detours, ...] | None = None
    calls: bool = False
    seed: Annotated[int, Meta(ge=0)] | None = None


class Queue(Strict, kw_only=True):
    """Commands of a message controller: how many words it holds, how many each has, and what an overflow takes in s."""

    words: Annotated[int, Meta(ge=0)]
    words_per_command: Annotated[int, Meta(ge=1)]
    spill_time: Seconds


class RunTimeSystem(Strict, kw_only=True):
    """Of the processor, for each call."""

    transfer_s: Seconds = 0.0
    collective_s: Seconds = 0.0


class Options(Strict, omit_defaults=True, kw_only=True):
    """What is absent is the engine's own choice. The critical path takes memory in proportion to the operations."""

    compute_factor: Factor | None = None
    fork_s: Seconds | None = None
    phase_factor: dict[str, Factor] = {}
    roofline: Roofline | None = None
    noise: Noise | None = None
    engine: Literal["automatic", "run_until_blocked", "time_ordered"] | None = None
    sharing: Sharing | None = None
    receive_serialised: bool | None = None
    progress: Literal["by_level", "hardware", "in_calls"] | None = None
    critical_path: bool | None = None
    decision: Library | None = None
    collectives: dict[str, Price] = {}
    strides: bool | None = None
    queue: Queue | None = None
    run_time_system: RunTimeSystem | None = None
