"""The options of ``hakaru compare`` and ``hakaru history``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

Results = Annotated[Path | None, Option("--results", help="Results folder [hakaru-results].")]
AsJson = Annotated[bool, Option("--json", help="Print JSON.")]
BY = ("date", "launch")


@dataclass(frozen=True)
class Compare:
    """What is compared with what."""

    before: Annotated[
        str, Argument(metavar="A", help="Results folder, or selectors such as commit=1a2b3c,compiler=12.")
    ]
    after: Annotated[str, Argument(metavar="B", help="What is compared with A: a ratio is B's time to A's.")]
    program: Annotated[str | None, Option("--program", help="Only this program.")] = None
    threshold: Annotated[
        str, Option("--threshold", help="A change counts where its whole interval lies beyond this.")
    ] = "5%"
    results: Results = None
    as_json: AsJson = False


@dataclass(frozen=True)
class History:
    """Whose times are drawn."""

    program: Annotated[
        str | None, Argument(metavar="PROGRAM", help="Only this program [all].", show_default=False)
    ] = None
    select: Annotated[
        str | None, Option("--select", help="Only what selectors leave, such as host=node1,mpi=MPICH.")
    ] = None
    phase: Annotated[str | None, Option("--phase", help="Time in this phase instead of the whole time.")] = (
        None
    )
    by: Annotated[str, Option("--by", help="What is one value: the launches of a date, or each launch.")] = (
        BY[0]
    )
    false_alarm: Annotated[
        str, Option("--false-alarm", help="Probability that a series without a change shows one.")
    ] = "1%"
    page: Annotated[Path | None, Option("--page", help="HTML file to write, which opens offline.")] = None
    results: Results = None
    as_json: AsJson = False


def fraction(option: str, text: str, least: float, most: float) -> float:
    """``5%`` or ``0.05``. Raises UserError for what is none, or not between the two."""
    from hakaru.base.errors import UserError
    from hakaru.base.quantities import parse

    try:
        value = parse(text, "1")
    except ValueError as error:
        raise UserError(f"{option} {text} is not understood", str(error), f"write {option} 5%") from None
    if not least <= value <= most:
        raise UserError(
            f"{option} {text} is out of range", f"it is between {least:g} and {most:g}", f"write {option} 5%"
        )
    return value
