"""The page of a profile and of the use of files: one self-contained HTML file without script."""

from pathlib import Path

from hakaru.base import units
from hakaru.facts.traces.file_use import FileUse
from hakaru.facts.traces.profile import Profile
from hakaru.tell.shell import fill
from hakaru.tell.traces.watched.lines import lines, place_lines
from hakaru.tell.traces.watched.results import Watched

ROWS = 40


def page(found: Watched, name: str) -> str:
    """Same results, same page, byte by byte."""
    profile, files = found.profile, found.files
    return fill(
        Path(__file__).with_name("page.html.j2"),
        name=name,
        lines=lines(found),
        tables=[
            *(profile_tables(profile) if profile and profile.samples else []),
            *(file_tables(files) if files else []),
        ],
    )


def profile_tables(found: Profile) -> list[tuple[str, list[str], list[list[str]]]]:
    """(title, columns, rows) of routines, lines, and of the parts of the run."""
    shares = ["itself", "95 % interval", "with what it called"]
    routines = [
        [one.routine, *_shares(found, one), one.module]
        for one in sorted(found.routines, key=lambda one: -one.exclusive)[:ROWS]
    ]
    source = [
        [f"{one.source}:{one.line}", *_shares(found, one), one.routine]
        for one in found.lines
        if one.exclusive and one.line
    ][:ROWS]
    return [
        ("Routines", ["routine", *shares, "file"], routines),
        ("Lines", ["line", *shares, "routine"], source),
        ("Ranks, threads and phases", ["where", "CPU time", "share", "most in"], _parts(found)),
    ]


def _shares(found: Profile, one) -> list[str]:
    interval = f"{100 * one.low:.1f} to {100 * one.high:.1f} %"
    return [f"{100 * one.share:.1f} %", interval, f"{100 * one.inclusive / found.samples:.1f} %"]


def _parts(found: Profile) -> list[list[str]]:
    sums: dict[tuple, dict[str, int]] = {}
    for one in found.parts:
        if one.exclusive:
            sums.setdefault((one.process, one.thread, one.phase), {})[one.routine] = one.exclusive
    rows = []
    for (process, thread, phase), routines in list(sums.items())[: 4 * ROWS]:
        who = found.processes[process]
        rank = f"rank {who.rank}" if who.rank is not None else f"process {who.process_id}"
        samples = sum(routines.values())
        most = sorted(routines.items(), key=lambda item: -item[1])[:3]
        rows.append(
            [
                f"{rank}, thread {thread}" + (f", {phase}" if phase else ""),
                units.seconds(samples * who.period_s),
                units.percent(samples / found.samples),
                ", ".join(f"{name} {units.percent(count / samples)}" for name, count in most),
            ]
        )
    return rows


def file_tables(found: FileUse) -> list[tuple[str, list[str], list[list[str]]]]:
    files = [
        [
            file.path or "(calls on names)",
            units.quantity(file.bytes_written, "B"),
            units.quantity(file.bytes_read, "B"),
            str(file.calls),
            units.seconds(file.seconds),
            str(file.processes),
        ]
        for file in found.files[:ROWS]
    ]
    places = [[line.removeprefix("attention: ")] for file in found.files for line in place_lines(found, file)]
    unknown = [
        [f"{file.path}: holes cannot be told, since {why}"]
        for file in found.files
        if file.places
        for why in file.places.unknown
    ]
    tables = [("Files", ["file", "written", "read", "calls", "time, all processes", "processes"], files)]
    return tables + ([("Bytes", ["what"], places + unknown)] if places or unknown else [])
