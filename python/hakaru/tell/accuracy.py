"""What ``hakaru accuracy --here`` prints: misses first."""

from collections.abc import Sequence
from statistics import median

from hakaru.base import units
from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.foretell.accuracy import here
from hakaru.foretell.accuracy.cases import WORKLOADS
from hakaru.foretell.accuracy.here import Held
from hakaru.foretell.accuracy.own import own

COLUMNS = ["program", "traced", "replayed/traced", "traces", "verdict"]
ORDER = ("misses", "open", "holds")


def of_this_machine(command: Sequence[str] | None, turns: int, as_json: bool) -> None:
    """Holds a person's own program, or hakaru's, against their traces here."""
    programs = [own(command)] if command else [*here.calls(), *map(here.leaf, WORKLOADS)]
    held = here.hold(programs, turns, (lambda text: None) if as_json else _say)
    held.sort(key=lambda one: (ORDER.index(one.verdict), one.name))
    if as_json:
        print_json({"within": here.WITHIN, "programs": [one.as_dict() for one in held]})
        return
    print_table("Replay against its own trace, here", COLUMNS, [_row(one) for one in held])
    print(summary(held))


def summary(held: Sequence[Held]) -> str:
    """One sentence that names what misses."""
    named = {verdict: [one.name for one in held if one.verdict == verdict] for verdict in ORDER}
    parts = [
        f"{len(names)} {verdict} ({', '.join(names)})"
        for verdict, names in named.items()
        if names and verdict != "holds"
    ]
    return "; ".join([*parts, f"{len(named['holds'])} of {len(held)} within {here.WITHIN:.0%}"])


def _row(one: Held) -> list[str]:
    ratio = one.ratio
    return [
        one.name,
        units.seconds(median(one.traced_s)),
        f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})",
        f"{one.spread:.1f} x",
        one.verdict,
    ]


def _say(text: str) -> None:
    print(text, flush=True)
