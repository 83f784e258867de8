"""What the publication explains its times with: whole iterations by thread, and segments of large pages that stacks of threads take."""

import math

from hakaru.studies.published import Published
from hakaru.studies.result import Row

from .settings import Model

EXPLAINED = ("c_inline_int", "fortran_inline_int", "fortran_inline_float")
IN_THE_LOOP = "c"  # C makes its threads, and takes their stacks, inside of what is timed


def loop_share(model: Model, threads: int) -> float:
    """Of the time of one thread: the iterations of the thread that has most of them."""
    return math.ceil(model.iterations / threads) / model.iterations


def segments(model: Model, threads: int) -> int:
    """Of large pages, for the stacks of the threads and two images."""
    return math.ceil((model.stack_mb * threads + model.images_mb) / model.segment_mb)


def seconds(model: Model, column: str, one: float, threads: int) -> float:
    """The loop's share, and what new segments cost where they are taken inside of it."""
    new = segments(model, threads) - 1 if column.startswith(IN_THE_LOOP) else 0
    return one * loop_share(model, threads) + new * model.segment_s


def published_times(published: Published, column: str) -> dict[int, float]:
    """By threads, where the table has a number."""
    rows = published.table("times").rows
    return {row["threads"]: row[column] for row in rows if column in row}


def rows(published: Published, model: Model) -> list[Row]:
    """Predictions of the published times, from that of one thread, and of the memory that large pages take."""
    found = []
    for column in EXPLAINED:
        times = published_times(published, column)
        for threads, stated in times.items():
            ours = times[1] if threads == 1 else seconds(model, column, times[1], threads)
            found.append(Row(f"times/{column}/{threads}", stated, ours, "s"))
    for row in published.table("large-pages").rows:
        taken = segments(model, row["threads"]) * model.segment_mb
        found.append(Row(f"large pages/{row['threads']}", row["used_max"], taken, "MB"))
    return found
