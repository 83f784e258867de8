"""What a campaign has given."""

from hakaru.base.output import print_json
from hakaru.base.statistics import median_interval
from hakaru.base.tables import print_table
from hakaru.facts.records.energies import Energies, energies
from hakaru.run.campaign import Outcome


def outcome_dict(outcome: Outcome) -> dict[str, object]:
    """Its JSON form."""
    return {
        "campaign": outcome.campaign,
        "complete": outcome.complete,
        "points": _points(outcome),
        "notes": outcome.notes,
        "failures": [record.id for record in outcome.failures],
    }


def _points(outcome: Outcome) -> list[dict[str, object]]:
    rows = []
    for state in outcome.states:
        samples = [record.wall_s for record in state.good if record.wall_s is not None]
        summary = median_interval(samples) if samples else None
        rows.append(
            {
                "label": state.point.label,
                "launches": len(state.good),
                "repeats": state.point.repeats,
                "median_s": summary and summary.value,
                "low_s": summary and summary.low,
                "high_s": summary and summary.high,
                "energy": energies(state.good).as_dict(),
            }
        )
    return rows


def _energies(outcome: Outcome) -> list[Energies]:
    """Of each point, in their order."""
    return [energies(state.good) for state in outcome.states]


def show_outcome(outcome: Outcome, as_json: bool) -> None:
    """Medians with intervals for each point, what was noisy, what failed."""
    if as_json:
        print_json(outcome_dict(outcome))
        return
    found = _energies(outcome)
    metered = any(one.joules for one in found)
    print_table(
        f"Campaign {outcome.campaign}",
        ["run", "launches", "median", "95 % interval", *(["energy of a launch"] if metered else [])],
        [
            [
                row["label"],
                f"{row['launches']} of {row['repeats']}",
                f"{row['median_s']:.4g} s" if row["median_s"] is not None else "",
                f"{row['low_s']:.4g} to {row['high_s']:.4g} s" if row["median_s"] is not None else "",
                *([one.words] if metered else []),
            ]
            for row, one in zip(_points(outcome), found, strict=True)
        ],
        right=(2,),
    )
    if not metered:
        for words in dict.fromkeys(
            one.words for one, state in zip(found, outcome.states, strict=True) if state.good
        ):
            print(f"energy: {words}")
    for note in outcome.notes:
        print(f"note: {note}")
    for record in outcome.failures:
        print(f"failed: {record.id}: {record.failure.reason}")
