"""What a program says of parameters on a layout: its size, its memory, and what each phase of one repetition does."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hakaru.facts.strict import Strict

Scalar = bool | int | float | str
Parameters = dict[str, Scalar]
Count = Annotated[float, Meta(ge=0.0)]


class PhaseWork(Strict):
    """Totals over all ranks for one repetition: flop, B moved (and with the read of each written line), messages, B in messages;
    ``indexed_bytes``: B of a phase that loads from places that other data say, ``gathered_bytes``: of the data in which these places lie."""

    phase: str
    flops: Count = 0.0
    bytes: Count = 0.0
    bytes_write_allocate: Count = 0.0
    messages: Count = 0.0
    message_bytes: Count = 0.0
    calls: Count = 0.0
    indexed_bytes: Count = 0.0
    gathered_bytes: Count = 0.0

    def counts(self) -> dict[str, float]:
        """Every count by its name."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if name != "phase"}

    @property
    def moved_bytes(self) -> float:
        """B that memory moves: with write-allocate where the program counts it."""
        return self.bytes_write_allocate or self.bytes


class Work(Strict):
    """``evaluated`` of a description, ``work`` of a record. ``refused`` says why the program cannot run so; ``size`` is its scalar N; the time is
    proportional to ``steps`` where a program says so that counts no work."""

    parameters: Parameters = {}
    ranks: int = 1
    threads: int = 1
    refused: str | None = None
    size: float | None = None
    size_meaning: str = ""
    memory_bytes: Count | None = None
    steps: Count | UnsetType = UNSET
    phases: tuple[PhaseWork, ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Work":
        """From the JSON object. Raises msgspec.ValidationError."""
        return msgspec.convert(dict(data), cls)

    def phase(self, name: str) -> PhaseWork | None:
        return next((phase for phase in self.phases if phase.phase == name), None)

    @property
    def amount(self) -> float:
        """Bytes moved and flops of all phases: equal shares of them are equal shares of the work."""
        return self.total("bytes") + self.total("flops")

    def total(self, count: str) -> float:
        """Sum over phases of ``flops``, ``bytes``, ..."""
        return sum(getattr(phase, count) for phase in self.phases)
