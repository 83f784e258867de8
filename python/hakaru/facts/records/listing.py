"""The files of a folder of records, as far as the folder itself tells.

Every answer asks for all of them, so that nothing that changed is missed. In a large folder ``find`` does it beside Python, which asks the
index meanwhile; its words are kept as they are, and taken apart only where somebody asks for single files.
"""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

SMALL = 200  # records; fewer are read faster than an index is asked
LARGE = 1 << 16  # B of the folder itself, from which on starting ``find`` is worth it: about a thousand files
WORDS = "%f/%T@/%s\\0"  # name, time of the last change in s, size in B; no name holds a slash
FIND = ("-maxdepth", "1", "-mindepth", "1", "-name", "*.json", "!", "-name", ".*", "!", "-type", "l")

Stamp = tuple[int, int]  # time of the last change in ns, size in B


class Listing(Mapping[str, Stamp]):
    """Stamps by name. ``tell`` gives the words of all files, as ``WORDS`` says, in the order of the folder; ``large``: many are expected."""

    def __init__(self, tell: Callable[[], bytes], large: bool = False):
        self._tell, self._large = tell, large

    @classmethod
    def of(cls, stamps: Mapping[str, Stamp]) -> "Listing":
        words = "".join(_words(name, *stamp) for name, stamp in stamps.items())
        return cls(lambda: words.encode("utf-8", "surrogateescape"))

    @cached_property
    def words(self) -> bytes:
        """Waits until they are there."""
        return self._tell()

    @cached_property
    def stamps(self) -> dict[str, Stamp]:
        return _stamps(self.words)

    @property
    def is_small(self) -> bool:
        return not self._large and len(self) < SMALL

    def digest(self) -> bytes:
        """Of names, times and sizes in the order of the folder; another order costs a comparison, no mistake."""
        return blake2b(self.words, digest_size=16).digest()

    def __getitem__(self, name: str) -> Stamp:
        return self.stamps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.stamps)

    def __len__(self) -> int:
        return self.words.count(b"\0")


def _words(name: str, time_ns: int, size: int) -> str:
    """As ``find`` says them, with a digit below a nanosecond."""
    return f"{name}/{time_ns // 1_000_000_000}.{time_ns % 1_000_000_000:09d}0/{size}\0"


def _stamps(words: bytes) -> dict[str, Stamp]:
    """Raises ValueError for words of another form."""
    text = words.decode("utf-8", "surrogateescape")
    found = (one.rsplit("/", 2) for one in text.split("\0")[:-1])
    return {name: (_nanoseconds(time), int(size)) for name, time, size in found}


def _nanoseconds(seconds: str) -> int:
    whole, _, part = seconds.partition(".")
    return int(whole) * 1_000_000_000 + int(part[:9])


_begun: dict[Path, Listing] = {}


def begin(results: str | Path) -> None:
    """Starts listing a results folder, for the next who asks: a command does so first, and loads what it needs meanwhile."""
    folder = (Path(results) / "records").absolute()
    _begun[folder] = _listing(folder)


def listing(folder: Path) -> Listing:
    """The record files with their times and sizes, as they are now, or were when the listing was begun; empty where there is no folder."""
    begun = _begun.pop(folder.absolute(), None)
    return _listing(folder) if begun is None else begun


def _listing(folder: Path, beside: bool = True) -> Listing:
    """``beside``: ``find`` may do it."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError):
        return Listing.of({})
    try:
        finding = _finding(folder) if beside and os.fstat(place).st_size >= LARGE else None
        if finding is None:
            return _asked(place)
        return Listing(lambda: _found(finding) or _listing(folder, beside=False).words, large=True)
    finally:
        os.close(place)


def _finding(folder: Path) -> subprocess.Popen | None:
    words = ["find", "-L", str(folder.absolute()), *FIND, "-printf", WORDS]
    plain = {**os.environ, "LC_ALL": "C"}  # names of any bytes, a point in times
    try:
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=plain)
    except OSError:
        return None


def _found(finding: subprocess.Popen) -> bytes | None:
    """What it said; None where it is another ``find``, or where a file went away meanwhile."""
    words, _ = finding.communicate()
    try:
        _stamps(words.partition(b"\0")[0] + b"\0")  # the first file tells
    except ValueError:
        return None
    return words if finding.returncode == 0 else None


def _asked(place: int) -> Listing:
    """By Python, file for file."""
    found, stat = {}, os.stat
    for name in [name for name in os.listdir(place) if name.endswith(".json") and name[0] != "."]:
        try:
            seen = stat(name, dir_fd=place)
        except FileNotFoundError:
            continue
        found[name] = (seen.st_mtime_ns, seen.st_size)
    return Listing.of(found)
