"""The noun ``FileUse``: which files a traced run used, how, and whether its ranks wrote each byte once. Kept as ``files.json``."""

from typing import Literal, Self

import msgspec

from hakaru.facts.strict import Strict
from hakaru.facts.values import Count, Seconds

SCHEMA = "hakaru/files/1"


class FileProcess(Strict):
    """``rank``: of MPI_COMM_WORLD, or as the launcher's environment says; None without either."""

    rank: int | None
    world: str
    host: str
    process_id: Count
    program: str
    complete: bool


class Use(Strict):
    """Calls of one kind by one process in one phase; ``layer``: who was called."""

    process: Count
    phase: str
    layer: Literal["posix", "stdio", "mpi", "below mpi"]
    operation: str
    calls: Count
    failed: Count
    bytes: Count
    seconds: Seconds


class Twice(Strict):
    """Bytes ``first`` to ``last``, both included, that several processes wrote; ``at_once``: while all of them had the file open."""

    first: Count
    last: Count
    processes: tuple[Count, ...]
    at_once: bool


class Hole(Strict):
    """Bytes ``first`` to ``last``, both included, that nobody wrote."""

    first: Count
    last: Count


class Places(Strict):
    """``bytes``: size of the file. ``unknown``: why holes cannot be told, empty when they can. The lists hold the first of each kind,
    the sums all."""

    bytes: Count
    unknown: tuple[str, ...]
    twice: tuple[Twice, ...]
    twice_bytes: Count
    holes: tuple[Hole, ...]
    hole_bytes: Count


class UsedFile(Strict):
    """Sums over processes, without the calls that the MPI library makes below MPI_File_*. ``places`` of files that were written."""

    path: str
    type: Literal["none", "regular", "stream", "system", "other", "many"]
    calls: Count
    bytes_read: Count
    bytes_written: Count
    seconds: Seconds
    processes: Count
    uses: tuple[Use, ...]
    places: Places | None = None


class FileUse(Strict):
    """``files``: those with most bytes first."""

    schema: Literal["hakaru/files/1"]
    processes: tuple[FileProcess, ...]
    files: tuple[UsedFile, ...]
    warnings: tuple[str, ...]

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Raises ValueError when the bytes are none."""
        return msgspec.json.decode(data, type=cls)

    def name(self, process: int) -> str:
        """``rank 3``, or what stands for it."""
        return process_name(self.processes[process])


def process_name(process: FileProcess) -> str:
    who = f"process {process.process_id} on {process.host}"
    if process.rank is None:
        return who
    return f"rank {process.rank}" + (f" of a spawned world ({who})" if process.world != "0" else "")
