"""The page of a study of speed-ups: its tables and pictures."""

from hakaru.base import units
from hakaru.facts.schedules import counts
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.study import Study
from hakaru.tell import figure

from .cases import Case
from .settings import Settings

PARTS = {
    "compute": ("execution", "blue"),
    "runtime": ("run-time system", "sky"),
    "overhead": ("overhead", "vermillion"),
    "waiting": ("idle", "grey"),
}


def sections(study: Study[Settings], cases: list[Case], result: Result) -> list[Section]:
    return [_ratios(study, result), _parts(study, cases, result), _counted(result), _rates(cases)]


def _ratios(study: Study[Settings], result: Result) -> Section:
    rows = result.of("table4/")
    section = Section(
        "Speed against the base machine",
        ["Rows that were fitted hold no information; the others are predictions."],
        [
            (
                figure.picture(
                    "ratios",
                    "Published and replayed ratios",
                    "; ".join(f"{row.id}: {number(row.published)} and {number(row.ours)}" for row in rows),
                    lambda axes: _paint_ratios(axes, rows, study),
                    3.8,
                    width_inch=6.4,
                ),
                "Filled: replayed; open: published. Diamonds were fitted, circles are predictions.",
            )
        ],
        ["application", "machine", "published", "ours", "error", "kind"],
    )
    for row in rows:
        _, name, machine = row.id.split("/")
        section.lines.append([name, machine, number(row.published), number(row.ours), error(row), row.kind])
    return section


def _paint_ratios(axes, rows: list[Row], study: Study[Settings]) -> None:
    names = list(dict.fromkeys(row.id.split("/")[1] for row in rows))
    predicted, fitted = study.settings.predicted.machine, study.settings.fitted.machine
    for machine, colour, marker in ((predicted, "vermillion", "o"), (fitted, "blue", "D")):
        own = [row for row in rows if row.id.endswith(f"/{machine}")]
        places = [names.index(row.id.split("/")[1]) for row in own]
        look = {"linestyle": "", "color": figure.color(colour), "marker": marker}
        axes.plot(
            [p - 0.12 for p in places],
            [row.published for row in own],
            fillstyle="none",
            label=f"{machine}, published",
            **look,
        )
        axes.plot([p + 0.12 for p in places], [row.ours for row in own], label=f"{machine}, replayed", **look)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("times the base machine")
    figure.number_axis(axes.yaxis)
    figure.heading(axes, "Speed against the base machine")
    figure.legend_below(axes, columns=2)


def _parts(study: Study[Settings], cases: list[Case], result: Result) -> Section:
    machines = [study.settings.predicted.machine, study.settings.fitted.machine]
    section = Section(
        "Where the time goes",
        [
            "Shares of each machine's own time, means over ranks. The publication's figure is not in its text: what it states of it is in "
            "the table below, where overhead is that of the predicted machine over that of the fitted one."
        ],
        [
            (
                figure.picture(
                    f"parts-{machine}",
                    f"Parts of the time on {machine}",
                    "; ".join(f"{one.name}: {_spoken(one, machine)}" for one in cases),
                    lambda axes, machine=machine: _paint_parts(axes, cases, machine),
                    3.8,
                ),
                f"{machine}: execution, run-time system, overhead of communication, idle.",
            )
            for machine in machines
        ],
        ["what", "stated", "ours", "kind"],
    )
    for row in [*result.of("figure6/"), *result.of("statements/")]:
        label = row.id.removeprefix("figure6/").replace("/", ": ")
        stated = "" if row.published is None else units.percent(row.published)
        section.lines.append([label, stated, units.percent(row.ours), row.kind])
    return section


def _spoken(one: Case, machine: str) -> str:
    return ", ".join(f"{PARTS[p][0]} {units.percent(s)}" for p, s in one.replayed[machine].shares.items())


def _paint_parts(axes, cases: list[Case], machine: str) -> None:
    bottoms = [0.0] * len(cases)
    for part, (label, colour) in PARTS.items():
        heights = [100.0 * one.replayed[machine].shares[part] for one in cases]
        axes.bar(
            range(len(cases)),
            heights,
            bottom=bottoms,
            width=0.62,
            color=figure.color(colour),
            edgecolor=figure.color("paper"),
            linewidth=0.6,
            label=label,
        )
        bottoms = [low + height for low, height in zip(bottoms, heights, strict=True)]
    axes.set_xticks(range(len(cases)), [one.name for one in cases], rotation=30, ha="right")
    axes.set_ylim(0.0, 100.0)
    axes.set_ylabel("% of the time")
    axes.grid(visible=False, axis="x")
    figure.number_axis(axes.yaxis)
    figure.heading(axes, f"Where the time goes: {machine}")
    figure.legend_below(axes, columns=2)


def _counted(result: Result) -> Section:
    columns = (*counts.COUNTS, "message_size")
    section = Section(
        "Communication, counted",
        [
            "Per rank, means over ranks: what the schedules do in their timed part, and in brackets what was published where it differs."
        ],
        [],
        ["application", *columns],
    )
    rows = {row.id: row for row in result.of("table5/")}
    for name in dict.fromkeys(row.id.split("/")[1] for row in rows.values()):
        line = [name]
        for column in columns:
            row = rows[f"table5/{name}/{column}"]
            same = abs(row.ours - row.published) <= max(0.5, 0.005 * row.published)
            line.append(number(row.ours) + ("" if same else f" ({number(row.published)})"))
        section.lines.append(line)
    return section


def _rates(cases: list[Case]) -> Section:
    section = Section(
        "What was fitted",
        [
            "One number for each program that communicates: the rate at which a cell of the base machine computes."
        ],
        [],
        ["application", "rate of a cell", "run-time system, calls counted", "time on the base machine"],
    )
    for one in cases:
        base = next(iter(one.replayed.values()))
        rate = units.quantity(one.rate, "flop/s") + ("" if one.fitted else " (peak; nothing to fit)")
        section.lines.append(
            [one.name, rate, "yes" if one.bench.run_time_system else "no", units.seconds(base.time_s)]
        )
    return section
