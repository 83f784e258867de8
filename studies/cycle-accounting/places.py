"""The caches of this machine, as the kernel tells them, and how large arrays are that shall lie in one of them."""

from dataclasses import dataclass
from pathlib import Path

from hakaru.base.topology import CPUS, ROOT, here

FIRST, SECOND, MEMORY = "first cache", "second cache", "memory"
TYPICAL = {1: 32 << 10, 2: 512 << 10, 3: 16 << 20}  # bytes, where the kernel tells nothing
SHARE = 0.5  # of a cache, so that what else lies there has room
SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Caches:
    """Bytes of the caches that a core of this process sees; ``told`` by the kernel, or assumed."""

    first: int
    second: int
    last: int
    told: bool

    def bytes_in(self, place: str, memory_times: float) -> int:
        """Of all arrays together that shall lie there."""
        return {
            FIRST: int(SHARE * self.first),
            SECOND: int(SHARE * self.second),
            MEMORY: int(memory_times * self.last),
        }[place]


def caches(root: Path = ROOT) -> Caches:
    processors = here(root).numbers
    folder = root / CPUS / f"cpu{processors[0] if processors else 0}/cache"
    found: dict[int, int] = {}
    for index in folder.glob("index*"):
        if _text(index / "type") in ("Data", "Unified") and _text(index / "level").isdigit():
            if size := _bytes(_text(index / "size")):
                found[int(_text(index / "level"))] = size
    told = {1, 2} <= found.keys()
    sizes = found if told else TYPICAL
    return Caches(sizes[1], sizes[2], max(sizes.values()), told)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _bytes(text: str) -> int:
    number = text.rstrip("KMG")
    return int(number) * SUFFIXES.get(text[len(number) :], 1) if number.isdigit() else 0
