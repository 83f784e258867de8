"""Would other sends pay here? The same input with blocking sends made non-blocking or persistent (native/schedule/sends.hpp)."""

from dataclasses import dataclass

LATE, EXCHANGE = "late", "exchange"  # where the waits come
ASSUMED = (
    "receives and computing leave the memory of a message alone until its send is waited for (two buffers in place of one, where they do not)",
    "the next message to the same rank with the same tag comes from the same memory, so its send waits for the one before",
)
PERSISTENT = (
    "a persistent send takes the processor as long as another, but for what network.LEVEL.persistent says"
)


@dataclass(frozen=True)
class Change:
    """``way``: nonblocking or persistent; ``waits``: late, or exchange (before the next computing at the latest)."""

    way: str
    waits: str = LATE

    def words(self) -> list[str]:
        """For the replay engine."""
        return ["--sends", self.way, "--waits", self.waits]

    @property
    def assumed(self) -> tuple[str, ...]:
        return (*ASSUMED, PERSISTENT) if self.way == "persistent" else ASSUMED
