"""Short runs of the program here, so that computing is priced by what it takes and not by its bound: launches of all thread counts in turn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hakaru import native
from hakaru.advise.candidates import Candidate
from hakaru.campaign.execute import perform
from hakaru.campaign.plan import Layout, Point
from hakaru.errors import UserError
from hakaru.launchers import usable_cores
from hakaru.records import RecordStore

LAUNCHES = 5
REPETITIONS = 3
TIMEOUT_S = 120.0


def layouts_to_run(wanted: Sequence[Candidate], cores: int) -> list[Layout]:
    """For each number of threads that fits here, as many ranks as fill the cores, but no more than any candidate has."""
    result = []
    for threads in sorted({one.threads for one in wanted if one.threads <= cores}):
        most = max(one.ranks for one in wanted if one.threads == threads)
        for ranks in sorted({1, min(cores // threads, most)}):
            result.append(Layout(ranks, threads))
    return result


def runs(wanted: Sequence[Candidate], cores: int) -> list[tuple[Layout, dict[str, Any]]]:
    """These layouts with the program's own way of communicating, and candidates that fit here as they are."""
    result = [(layout, {}) for layout in layouts_to_run(wanted, cores)]
    for one in wanted:
        pair = (Layout(one.ranks, one.threads), dict(one.parameters))
        if one.nodes == 1 and one.ranks * one.threads <= cores and pair not in result:
            result.append(pair)
    return result


def run(
    program: str,
    parameters: Mapping[str, Any],
    wanted: Sequence[Candidate],
    store: RecordStore,
    say: Callable[[str], None],
    launches: int = LAUNCHES,
) -> None:
    """Launches interleaved; their records go to the store. Raises UserError when none of a layout's launches succeeds."""
    store.prepare()
    points: list[Point] = []
    for layout, own in runs(wanted, usable_cores()):
        described = native.describe(program, dict(parameters) | own, layout.ranks, layout.threads)[
            "evaluated"
        ]
        point = Point(
            program, "run", tuple(sorted(described["parameters"].items())), layout, 1, REPETITIONS, 1
        )
        if not described.get("refused") and point not in points:
            points.append(point)
    failures: dict[Layout, str] = {}
    good: set[Layout] = set()
    for _ in range(launches):
        for point in points:
            say(f"calibrating: {program} on {point.layout.ranks} x {point.layout.threads}")
            record = perform(point, store, None, {}, TIMEOUT_S)
            if record.data["status"] == "ok":
                good.add(point.layout)
            else:
                failures[point.layout] = str(record.data["failure"]["reason"])[:200]
    for layout, reason in failures.items():
        if layout not in good:
            raise UserError(
                f"{program} does not run on {layout.ranks} x {layout.threads} here",
                reason,
                "give other --calibrate parameters",
            )
