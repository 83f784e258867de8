"""What people may choose in the report, computed when it is made: forecasts of more sizes and layouts, replays with other facts."""

from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.foretell.forecast.variants import Variant, foretold, variants
from hakaru.foretell.replay import levers
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.levers import WhatIf
from hakaru.tell.report.load import Results

FORECASTS_S, REPLAYS_S = 5.0, 3.0  # the most that the two take


@dataclass(frozen=True)
class Precomputed:
    """``missing``: why something has no replays."""

    variants: tuple[Variant, ...] = ()
    what_ifs: tuple[WhatIf, ...] = ()
    missing: tuple[str, ...] = ()


def precompute(found: Results, forecasts_s: float = FORECASTS_S, replays_s: float = REPLAYS_S) -> Precomputed:
    """In a limited time; never raises UserError, since the rest of the report stands without it."""
    made = foretold(variants(found.folder, found.forecasts, found.records), forecasts_s)
    try:
        tool = engine(None)  # a report writes nothing into the results
        replayed, missing = levers.what_ifs(found.records, found.machine, tool, replays_s)
    except UserError as error:
        replayed, missing = [], [f"{error}; hakaru replay builds it, then hakaru report has the answers"]
    return Precomputed(tuple(made), tuple(replayed), tuple(missing))
