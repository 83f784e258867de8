"""The page of the study: scores beside the published ones, classes of loops, every loop."""

from collections.abc import Mapping

from hakaru.base.errors import UserError
from hakaru.studies.conclusions import LITTLE, MORE
from hakaru.studies.result import Section
from hakaru.studies.study import Study
from hakaru.tell import figure

from . import scores
from .scores import Score
from .settings import Settings

PUBLISHED_LOOPS = 135


def columns(found: list[Score]) -> dict[str, list[Score]]:
    """By compiler and set of options."""
    result: dict[str, list[Score]] = {}
    for one in found:
        result.setdefault(one.variant.column, []).append(one)
    return result


def counts(own: list[Score]) -> dict[str, int]:
    """Loops claimed; those that gain; those claimed in vain; those that became parallel."""
    told = {"loops": len(own), "vectorised": sum(one.claimed for one in own)}
    if any(one.speed_up for one in own):
        told["gain"] = sum(one.claimed and one.gains for one in own)
        told["in vain"] = sum(one.idle for one in own)
    if parallel := sum(one.claim.parallel for one in own):
        told["parallel"] = parallel
    return told


def sections(study: Study[Settings], found: list[Score], failures: Mapping[str, UserError]) -> list[Section]:
    own = columns(found)
    made = [_scores(study, own), _classes(own), *_lists(own, found), _loops(own), _failures(failures)]
    return [one for one in made if one.lines or len(one.words) > 1]


def _scores(study: Study[Settings], own: Mapping[str, list[Score]]) -> Section:
    section = Section(
        "Scores",
        [
            f"Published: of {PUBLISHED_LOOPS} loops, those that compilers of 2010 made parallel (the first line: vectorised).",
            "Here: of our own set, those that a compiler says it vectorised; those of them that are more than "
            f"{100 * (LITTLE - 1):.0f} % faster with vectors, and those that are not {100 * (MORE - 1):.0f} % faster, by whole intervals; "
            "those made parallel.",
        ],
        columns=["compiler", "loops", "vectorised", "share", "gain", "in vain", "parallel", "widest vectors"],
    )
    for row in study.published.table("vector-loops").rows:
        share = f"{row['loops'] / PUBLISHED_LOOPS:.0%}"
        section.lines.append(
            [f"{row['compiler']}, published", str(PUBLISHED_LOOPS), str(row["loops"]), share, "", "", "", ""]
        )
    for name, those in own.items():
        told = counts(those)
        widest = max(one.claim.bytes for one in those)
        cells = [str(told.get(one, "")) for one in ("gain", "in vain", "parallel")]
        share = f"{told['vectorised'] / told['loops']:.0%}"
        section.lines.append(
            [name, str(told["loops"]), str(told["vectorised"]), share, *cells, f"{8 * widest} bits"]
        )
    return section


def _classes(own: Mapping[str, list[Score]]) -> Section:
    kinds = list(dict.fromkeys(one.variant.loop.kind for those in own.values() for one in those))
    section = Section("Classes of loops", ["Loops vectorised, of those of the class."], [], ["class", *own])
    shares: dict[str, list[float]] = {name: [] for name in own}
    for kind in kinds:
        cells = []
        for name, those in own.items():
            of_kind = [one for one in those if one.variant.loop.kind == kind]
            claimed = sum(one.claimed for one in of_kind)
            shares[name].append(claimed / max(1, len(of_kind)))
            cells.append(f"{claimed} of {len(of_kind)}")
        section.lines.append([kind, *cells])
    shares = {name: values for name, values in shares.items() if own[name][0].variant.options.timed}
    if kinds and shares:
        section.pictures.append(
            (_picture(kinds, shares), "Right is more; markers lie over each other where compilers agree.")
        )
    return section


def _picture(kinds: list[str], shares: Mapping[str, list[float]]) -> str:
    title = "Share of loops vectorised, by class"

    def paint(axes) -> None:
        for number, (name, values) in enumerate(shares.items()):
            axes.plot(
                [100.0 * value for value in values],
                range(len(kinds)),
                figure.MARKERS[number % len(figure.MARKERS)],
                color=figure.color(figure.SERIES[number % len(figure.SERIES)]),
                label=name,
                alpha=0.8,
            )
        axes.set_yticks(range(len(kinds)), kinds)
        axes.set_ylim(len(kinds) - 0.5, -0.5)
        axes.set_xlim(-3.0, 103.0)
        axes.set_xlabel("% of the class")
        figure.heading(axes, title)
        figure.legend_below(axes)

    height = 2.0 + 0.24 * len(kinds) + 0.1 * len(shares)
    return figure.picture("classes", title, "Share of loops vectorised by class and compiler", paint, height)


def _lists(own: Mapping[str, list[Score]], found: list[Score]) -> list[Section]:
    """A paragraph for each compiler that has such loops."""
    vain = Section(
        "Claimed in vain", ["Loops that the compiler says it vectorised, and that are no faster for it:"]
    )
    for name, those in own.items():
        told = [
            f"{one.variant.case} ({one.speed_up.value:.2f})" for one in those if one.idle and one.speed_up
        ]
        vain.words += [f"{name}: {', '.join(told)}."] if told else []
    would = Section(
        "Refused, and would gain",
        [
            "Loops that the compiler leaves as they are, while another one gains by vectors under the same options:"
        ],
    )
    would.words += [f"{name}: {', '.join(told)}." for name, told in scores.refused(found).items()]
    return [vain, would]


def _loops(own: Mapping[str, list[Score]]) -> Section:
    section = Section(
        "Every loop",
        [
            "Times faster with vectors than without, under the same options; in brackets where the compiler says that it did not vectorise."
        ],
        columns=["loop", "what it is", *own],
    )
    by_case: dict[str, dict[str, Score]] = {}
    for name, those in own.items():
        for one in those:
            by_case.setdefault(one.variant.case, {})[name] = one
    for case, scores_ in by_case.items():
        about = next(iter(scores_.values())).variant.loop.bodies.about
        section.lines.append([case, about, *(_cell(scores_.get(name)) for name in own)])
    return section


def _cell(one: Score | None) -> str:
    if one is None:
        return ""
    if one.speed_up is None:
        told = [*(["vectors"] if one.claimed else []), *(["parallel"] if one.claim.parallel else [])]
        return ", ".join(told)
    return f"{one.speed_up.value:.2f}" if one.claimed else f"({one.speed_up.value:.2f})"


def _failures(failures: Mapping[str, UserError]) -> Section:
    lines = [[one, str(error)] for one, error in failures.items()]
    return Section(
        "What failed, or computes something else", ["The rest went on."], [], ["program", "why"], lines
    )


def words(found: list[Score], failures: Mapping[str, UserError]) -> list[str]:
    told = [f"{len(failures)} programs failed or computed something else."] if failures else []
    for name, own in columns(found).items():
        count = counts(own)
        gain = f", {count['gain']} gain, {count['in vain']} in vain" if "gain" in count else ""
        parallel = f", {count['parallel']} parallel" if "parallel" in count else ""
        told.append(f"{name}: {count['vectorised']} of {count['loops']} loops vectorised{gain}{parallel}.")
    return told
