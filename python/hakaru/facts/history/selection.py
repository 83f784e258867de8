"""One side of a question: a results folder, or what selectors such as ``commit=abc,date=2026-11-01..2026-11-10`` leave of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.records import Entry, RecordStore, Wanted
from hakaru.facts.records.listing import Listing, listing

SHOWN = 6  # known values that an error names
LEAST_COMMIT = 4  # characters of a commit
SELECTORS = {
    "commit": "commit",
    "compiler": "compiler",
    "mpi": "MPI library",
    "host": "host",
    "kernel": "kernel",
    "hakaru": "hakaru",
}  # what is matched against the environment; `date` and `campaign` are the record's own
EXAMPLES = "for example commit=1a2b3c, date=2026-11-01..2026-11-10, compiler=13.2, mpi=MPICH, host=node1, campaign=ID"

Test = Callable[[Entry], bool]


@dataclass(frozen=True)
class Side:
    """Launches whose time is performance, in the order of their dates; ``left_out`` counts the others by reason; ``damaged``: (file, reason)."""

    name: str
    folder: Path
    entries: list[Entry]
    left_out: Counter = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    damaged: list[tuple[Path, str]] = field(default_factory=list)


def sides(words: Sequence[str], results: Path, program: str | None = None) -> list[Side]:
    """What words of the command line name. Raises UserError where one names nothing."""
    listed: dict[Path, Listing] = {}
    return [side(word, results, program, listed) for word in words]


def side(
    word: str, results: Path, program: str | None = None, listed: dict[Path, Listing] | None = None
) -> Side:
    """What a word names; ``listed`` keeps the listings of folders for the next word."""
    folder, selectors = _read(word, results)
    wanted = Wanted(program)
    for key, value, text in selectors:
        wanted = _narrowed(wanted, key, value, text)
    found, damaged = runs(folder, wanted, {} if listed is None else listed)
    tests = [(text, _test(key, value, text)) for key, value, text in selectors]
    chosen = found
    for text, test in tests:
        kept = [entry for entry in chosen if test(entry)]
        if not kept:
            raise _nothing(text, folder, chosen)
        chosen = kept
    for key, value, text in selectors:
        if key == "commit":
            _one_commit(value, text, chosen)
    return measured(word, folder, chosen, damaged)


def runs(
    folder: Path, wanted: Wanted, listed: dict[Path, Listing]
) -> tuple[list[Entry], list[tuple[Path, str]]]:
    """Such runs in a results folder, in the order of their dates, and its damaged files. Raises UserError where it holds no run."""
    store = RecordStore(folder)
    if not store.records.is_dir():
        why = "there is no such folder" if not folder.exists() else "it has no folder records"
        raise UserError(f"no records in {folder}", why, "name a results folder, or make one with: hakaru run")
    if folder not in listed:
        listed[folder] = listing(store.records)
    found = [entry for entry in store.entries(wanted, listed[folder]) if entry.is_run]
    if not found and wanted != Wanted(wanted.program):
        return runs(folder, Wanted(wanted.program), listed)
    if not found:
        of = f" of {wanted.program}" if wanted.program else ""
        why = f"{len(store.damaged)} of its files are damaged" if store.damaged else "nothing ran there yet"
        raise UserError(f"no runs{of} in {folder}", why, "see what is there with: hakaru records")
    return sorted(found, key=lambda entry: (entry.started, entry.id)), list(store.damaged)


def _narrowed(wanted: Wanted, key: str, value: str, text: str) -> Wanted:
    """What the index can choose by itself; everything is tested once more."""
    if key == "date":
        first, last = _dates(value, text)
        return wanted._replace(first=max(first, wanted.first), last=min(last, wanted.last))
    if key == "commit" and len(value) >= LEAST_COMMIT:
        return wanted._replace(commit=value.lower())
    return wanted


def measured(name: str, folder: Path, found: Iterable[Entry], damaged: list[tuple[Path, str]]) -> Side:
    """The launches whose times are performance, and what is to be said of the others."""
    entries = list(found)
    timed = [entry for entry in entries if entry.left_out is None]
    left_out = Counter(entry.left_out for entry in entries if entry.left_out)
    untraced = {_point(entry) for entry in timed if not entry.traced}
    kept = [entry for entry in timed if not (entry.traced and _point(entry) in untraced)]
    if len(kept) < len(timed):
        left_out["traced, where others are not"] = len(timed) - len(kept)
    return Side(name, folder, kept, left_out, _clock_notes(kept), damaged)


def _point(entry: Entry) -> tuple:
    return (entry.program, str(sorted(entry.parameters.items())), entry.ranks, entry.threads)


def in_future(entry: Entry) -> bool:
    """Dated later than tomorrow: the clock of that machine, or of this one, is wrong."""
    return entry.started > _tomorrow()


@cache
def _tomorrow() -> str:
    return f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M:%S}"


def _clock_notes(entries: list[Entry]) -> list[str]:
    later, back = sum(map(in_future, entries)), sum(entry.finished < entry.started for entry in entries)
    notes = [f"{later} launches are dated in the future (is a clock wrong?)"] if later else []
    if back:
        notes.append(
            f"{back} launches ended before they began (a clock was set back); their dates may be wrong"
        )
    return notes


def _read(word: str, results: Path) -> tuple[Path, list[tuple[str, str, str]]]:
    """Folder and (key, value, text) of each selector."""
    if Path(word).is_dir():
        return Path(word), []
    folder, selectors = results, []
    for part in word.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals and Path(part).is_dir():
            folder = Path(part)
        elif not equals:
            raise UserError(f"'{part}' is neither a folder nor a selector", "", EXAMPLES)
        elif key not in (*SELECTORS, "date", "campaign") or not value:
            known = ", ".join(("date", "campaign", *SELECTORS))
            raise UserError(f"'{part}' selects nothing", f"selectors are {known}", EXAMPLES)
        else:
            selectors.append((key, value, part.strip()))
    return folder, selectors


def _test(key: str, value: str, text: str) -> Test:
    if key == "date":
        first, last = _dates(value, text)
        return lambda entry: first <= entry.date <= last
    if key == "campaign":
        return lambda entry: entry.campaign == value
    if key == "commit":
        if len(value) < LEAST_COMMIT:
            raise UserError(
                f"'{text}' is too short", f"{LEAST_COMMIT} characters at least", "give more of it"
            )
        return lambda entry: entry.commit.startswith(value.lower())
    wanted, name = value.lower(), SELECTORS[key]
    return lambda entry: wanted in entry.environment.get(name, "").lower()


def _dates(value: str, text: str) -> tuple[str, str]:
    first, dots, last = value.partition("..")
    try:
        ends = [date.fromisoformat(end).isoformat() if end else "" for end in (first, last)]
    except ValueError as error:
        raise UserError(
            f"'{text}' is no date", str(error), "write date=2026-11-01 or date=2026-11-01..2026-11-10"
        ) from None
    low, high = ends[0], ends[1] if dots else ends[0]
    if high and low > high:
        raise UserError(f"'{text}' is empty", "its first day is after its last", f"write date={high}..{low}")
    return low, high or "9999-12-31"


def _one_commit(value: str, text: str, chosen: list[Entry]) -> None:
    commits = sorted({entry.environment["commit"] for entry in chosen})
    if len(commits) > 1:
        raise UserError(
            f"'{text}' is {len(commits)} commits", ", ".join(commits[:SHOWN]), "give more characters of one"
        )


def _nothing(text: str, folder: Path, among: list[Entry]) -> UserError:
    key = text.partition("=")[0].strip()
    pick = {"date": lambda one: one.date, "campaign": lambda one: one.campaign}
    values = {pick.get(key, lambda one: one.environment.get(SELECTORS[key]))(entry) for entry in among}
    known = sorted(value[:60] for value in values if value)
    shown = ", ".join([*known[:SHOWN], *(["..."] if len(known) > SHOWN else [])]) or "none is known"
    return UserError(f"no run in {folder} has {text}", f"there are: {shown}", "choose one of them")
