"""What a team of threads costs, in closed form.

A region of T threads costs s ceil(log2 T): starting and joining a team are trees, and s is what a published region takes for each level.
Threads share whole parts of a loop: u parts take as long as ceil(u / T) T, so that computing grows by ceil(u / T) T / u.
"""

from hakaru.facts.schedules import Schedule

from .settings import Kernel


def levels(threads: int) -> int:
    """ceil(log2 T)."""
    return (threads - 1).bit_length()


def fork_s(stage_s: float, threads: int) -> float:
    return stage_s * levels(threads)


def imbalance(kernel: Kernel, ranks: int, threads: int) -> float:
    """The longest thread's time over the mean of its rank's, of the rank that has most planes. At least 1."""
    parts = -(-kernel.planes // ranks) * kernel.each
    return -(-parts // threads) * threads / parts


def uneven_ranks(kernel: Kernel, ranks: int) -> float:
    """Planes of the rank that has most over the mean. At least 1."""
    return -(-kernel.planes // ranks) * ranks / kernel.planes


def regions(schedule: Schedule) -> int:
    """Computations of the timed part that take time, each of which is a region of threads; of the rank that has most."""
    return max(
        sum(times for one, times in stream.timed() if one.do == "compute" and schedule.takes_time(one))
        for stream in schedule.streams
    )


def break_even_s(flat_s: float, team_s: float, team_regions: int, levels_of_team: int) -> float:
    """What a level of a region may cost until threads take as long as ranks; ``team_s``: with regions that cost nothing. Negative: ranks
    are ahead even then."""
    return (flat_s - team_s) / (team_regions * levels_of_team)
