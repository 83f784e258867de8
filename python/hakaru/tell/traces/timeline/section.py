"""The part of a page that shows a timeline: scripts, packed document, still picture, charts, the longest waits."""

import base64
import dataclasses
import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hakaru.base import units
from hakaru.facts.traces.timeline import Timeline, Window
from hakaru.facts.traces.trace import Trace
from hakaru.tell.traces.timeline import charts, still

PARTS = ("data.js", "words.js", "paint.js", "find.js", "main.js")
HERE = Path(__file__).parent
PART = "This is a part of the trace; what is said above, the matrix and the tables below are of all of it."
KINDS = {
    "late_sender": "for the sender",
    "late_receiver": "for the receiver",
    "collective": "at a collective",
}


@dataclass(frozen=True)
class Section:
    """What the template shows. ``script`` and ``packed`` hold no ``<``: the one is written by hakaru, the other is base64."""

    script: str
    policy: str
    packed: str
    style: str
    still: str | None
    charts: tuple[str, ...]
    waits: tuple[tuple[str, tuple[str, ...]], ...]
    by_phase: bool
    note: str


def script() -> str:
    """All parts as one strict function."""
    text = "\n".join((HERE / part).read_text(encoding="utf-8") for part in PARTS)
    return f'(() => {{\n"use strict";\n{text}\n}})();\n'


def policy_of(text: str) -> str:
    """The source expression that lets a browser run exactly this script."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def packed(document: bytes) -> str:
    """Same document, same text."""
    return base64.b64encode(gzip.compress(document, 6, mtime=0)).decode()


def of_archive(trace: Trace, window: Window = Window()) -> Section:  # noqa: B008
    """Of a trace or a part of it. Raises UserError when the tool is not built or refuses the archive."""
    document = trace.timeline(window)
    whole = section(msgspec.json.decode(document, type=Timeline), document)
    return dataclasses.replace(whole, note=f"{whole.note} {PART}") if window.words else whole


def section(found: Timeline, document: bytes) -> Section:
    """``document``: the bytes that ``found`` was read from."""
    from markupsafe import Markup

    text = script()
    drawn = still.draw(found)
    pictures = (charts.shares(found), charts.message_sizes(found), charts.waits(found))
    return Section(
        script=Markup(text),
        policy=Markup(policy_of(text)),
        packed=Markup(packed(document)),
        style=Markup((HERE / "timeline.css").read_text(encoding="utf-8")),
        still=Markup(drawn) if drawn else None,
        charts=tuple(Markup(one) for one in pictures if one),
        waits=tuple(map(_wait, found.longest_waits)),
        by_phase=len(found.phases) > 1,
        note=_note(found),
    )


def _wait(one) -> tuple[str, tuple[str, ...]]:
    """Where it is, and its cells."""
    place = f"{one.rank} {one.begin_s!r} {one.seconds!r}"
    cells = (
        f"{one.rank}",
        units.seconds(one.seconds),
        f"rank {one.late_rank}, {KINDS[one.kind]}" if one.late_rank >= 0 else KINDS[one.kind],
        one.call,
        units.seconds(one.begin_s),
    )
    return place, cells


def _note(found: Timeline) -> str:
    if not found.levels:
        return "Nothing was recorded."
    finest = found.length_s / found.levels[-1].bins
    detail = "every call" if found.pieces else f"bins of {units.seconds(finest)}"
    rows = f", {found.ranks_per_row} ranks a row" if found.ranks_per_row > 1 else ""
    path = "" if found.critical_path.whole else "; of the critical path the longest stays"
    return (
        f"{units.seconds(found.length_s)} of {found.ranks} ranks{rows}; the finest detail is {detail}{path}."
    )
