"""The profile and the use of files in a few lines for a terminal."""

from hakaru.base import units
from hakaru.facts.traces.file_use import FileUse, Places, UsedFile
from hakaru.facts.traces.profile import Profile, Share
from hakaru.tell.traces.watched.results import Watched

ROUTINES, LINES, FILES, PLACES, WARNINGS = 8, 5, 6, 4, 6
LONGEST = 100  # characters of a name


def lines(found: Watched, beside_a_part: bool = False) -> list[str]:
    """``beside_a_part``: what is told before them is of a part of the run only."""
    text = profile_lines(found.profile) if found.profile else []
    text += file_lines(found.files) if found.files else []
    if text and beside_a_part:
        text.insert(0, "of the whole run, not only between the marks:")
    return text + [f"attention: {problem}" for problem in found.problems]


def _warned(warnings: tuple[str, ...]) -> list[str]:
    text = [f"attention: {warning}" for warning in warnings[:WARNINGS]]
    more = len(warnings) - WARNINGS
    return text + ([f"attention: {more} more of this kind"] if more > 0 else [])


def profile_lines(found: Profile) -> list[str]:
    if not found.samples:
        return _warned(found.warnings)
    own = [one for one in found.routines if one.exclusive]
    text = [
        f"computed for {units.seconds(found.seconds)} of CPU time, {units.count(found.samples, 'sample')} of "
        f"{units.count(len(found.processes), 'process', 'processes')}; itself, with 95 % interval, and with what it called:"
    ]
    text += [f"  {shares(found, one)}  {short(one.routine)}{_library(found, one)}" for one in own[:ROUTINES]]
    known = [one for one in found.lines if one.exclusive and one.line]
    if 2 * sum(one.exclusive for one in known) < found.samples:
        known = []  # the program was built without -g: only some library's lines
    text += [
        f"  {units.percent(one.share):>6s} at {one.source}:{one.line} ({short(one.routine)})"
        for one in known[:LINES]
    ]
    return text + _warned(found.warnings)


def short(routine: str) -> str:
    """Names of C++ can be as long as a page."""
    return routine if len(routine) <= LONGEST else f"{routine[: LONGEST - 1]}…"


def shares(found: Profile, one: Share) -> str:
    itself = f"{100 * one.share:5.1f} % ({100 * one.low:.1f} to {100 * one.high:.1f})"
    return f"{itself:24s} {100 * one.inclusive / found.samples:5.1f} %"


def _library(found: Profile, one: Share) -> str:
    programs = {process.program for process in found.processes}
    return "" if one.module in programs or not one.module else f" [{one.module.rsplit('/', 1)[-1]}]"


def file_lines(found: FileUse) -> list[str]:
    used = [file for file in found.files if file.bytes_read + file.bytes_written]
    text = []
    for file in used[:FILES]:
        moved = [
            f"{units.quantity(size, 'B')} {how}"
            for size, how in ((file.bytes_written, "written"), (file.bytes_read, "read"))
            if size
        ]
        text.append(
            f"  {file.path}: {', '.join(moved)} in {units.count(file.calls, 'call')}, {units.seconds(file.seconds)} "
            f"by {units.count(file.processes, 'process', 'processes')}"
        )
    if text:
        text.insert(0, f"files ({len(used)} with bytes read or written):")
    for file in found.files:
        text += place_lines(found, file)
    return text + _warned(found.warnings)


def place_lines(found: FileUse, file: UsedFile) -> list[str]:
    """``solution.dat: bytes 4096 to 8191 written by rank 0 and rank 1``."""
    places = file.places
    if places is None:
        return []
    name = file.path.rsplit("/", 1)[-1]
    text = []
    for one in places.twice[:PLACES]:
        who = " and ".join(found.name(process) for process in one.processes)
        text.append(
            f"attention: {name}: bytes {one.first} to {one.last} written by {who}{_when(one.at_once)}"
        )
    for one in places.holes[:PLACES]:
        text.append(f"attention: {name}: bytes {one.first} to {one.last} written by nobody")
    return text + _more(name, places)


def _when(at_once: bool) -> str:
    return "" if at_once else ", one after the other had closed it"


def _more(name: str, places: Places) -> list[str]:
    text = []
    if len(places.twice) > PLACES:
        text.append(f"attention: {name}: {places.twice_bytes} bytes in all were written by several")
    if len(places.holes) > PLACES:
        text.append(f"attention: {name}: {places.hole_bytes} bytes in all were written by nobody")
    return text
