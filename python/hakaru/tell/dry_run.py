"""What would be started, and how long it would take."""

from collections.abc import Sequence
from dataclasses import asdict

from hakaru.base.output import print_json
from hakaru.run.campaign.progress import duration
from hakaru.run.campaign.runner import DryLaunch


def show(rows: Sequence[DryLaunch], as_json: bool) -> None:
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    for row in rows:
        print(f"{row.launches} x  {row.line}   # about {duration(row.estimated_s)}")
    launches, seconds = sum(row.launches for row in rows), sum(row.estimated_s for row in rows)
    print(f"{launches} launches, about {duration(seconds)}")
