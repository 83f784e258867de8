"""What a tuning found, for people."""

import shlex
from statistics import median

from hakaru.base import units
from hakaru.base.tables import print_table
from hakaru.run.tune.session import Trial, Tuning


def export_lines(tuning: Tuning) -> list[str]:
    """To be pasted into a shell."""
    if tuning.winner is None:
        return []
    return [f"export {name}={shlex.quote(value)}" for name, value in tuning.winner.environment]


def verdict(tuning: Tuning) -> str:
    """One sentence."""
    if not tuning.complete:
        return "Interrupted: nothing was confirmed, so nothing is advised."
    if tuning.winner is None:
        return f"Nothing helps: no setting of {tuning.library} made the program faster than it is."
    if tuning.gain is None:
        return f"Nothing helps: '{tuning.winner.label}' looked faster, but failed when it was launched again."
    gain = tuning.gain
    text = f"{gain.value:.3f} times the time ({gain.low:.3f} to {gain.high:.3f}, {gain.count} fresh pairs of launches)"
    if tuning.helps:
        return f"'{tuning.winner.label}' saves {units.percent(1.0 - gain.value)} ({units.percent(1.0 - gain.high)} to {units.percent(1.0 - gain.low)}): {text}."
    return (
        f"Nothing is shown to help: '{tuning.winner.label}' looked best, but launched again it takes {text}."
    )


def show(tuning: Tuning) -> None:
    """The table, the verdict, and what to export."""
    if tuning.default_times:
        print(
            f"As it is: {units.digits(median(tuning.default_times))} (median of {len(tuning.default_times)})"
        )
    if tuning.trials:
        trials = sorted(tuning.trials, key=lambda one: (one.ratio is None, one.ratio))
        columns = ["setting", "times the default", "rounds", ""]
        print_table(f"Settings of {tuning.library}", columns, [_line(one) for one in trials], right=(1, 2))
    for text in tuning.told:
        print(f"Note: {text}")
    print(verdict(tuning))
    if tuning.helps:
        print("\n".join(export_lines(tuning)))


def _line(one: Trial) -> list[str]:
    return [
        one.setting.label,
        "" if one.ratio is None else f"{one.ratio:.3f}",
        str(len(one.ratios)),
        one.ended or "",
    ]
