"""The files of a folder of records, as far as the folder itself tells."""

import os
from array import array
from hashlib import blake2b
from itertools import chain
from pathlib import Path

Listing = dict[str, tuple[int, int]]  # time of the last change in ns and size in B, by name


def listing(folder: Path) -> Listing:
    """The record files with their times and sizes; empty where there is no folder."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found, stat = {}, os.stat
    try:
        for name in [name for name in os.listdir(place) if name.endswith(".json") and name[0] != "."]:
            try:
                seen = stat(name, dir_fd=place)
            except FileNotFoundError:
                continue
            found[name] = (seen.st_mtime_ns, seen.st_size)
    finally:
        os.close(place)
    return found


def digest(found: Listing) -> bytes:
    """Of names, times and sizes in the order of the folder; another order costs a comparison, no mistake."""
    state = blake2b("\0".join(found).encode("utf-8", "surrogateescape"), digest_size=16)
    state.update(array("q", chain.from_iterable(found.values())).tobytes())
    return state.digest()
