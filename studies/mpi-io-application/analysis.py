"""Files of one process each beside their published sizes; one file for all, the same bytes at every division; times by way of writing."""

import hashlib
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive
from hakaru.facts.work import Parameters
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.kinds import Assumptions, Count, Counts
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import number
from hakaru.studies.study import Study

Way = Literal["split", "independent", "master", "collective"]
Division = Annotated[tuple[Count, ...], Meta(min_length=4, max_length=4)]
HEADER = 4096
UNKNOWNS = 5
OUTPUT = "output"


class Settings(Strict):
    """[analysis] of study.toml: ``divisions`` are ranks and blocks along x, y and z; ``rounds`` of all ways in turns are timed."""

    ways: tuple[Way, ...]
    divisions: tuple[Division, ...]
    timed_ranks: Counts
    rounds: Count
    bytes_of_declared_point: Positive
    assumptions: Assumptions


def run(study: Study[Settings], context: Context) -> Result:
    result = Result(basis=study.basis, assumptions=list(study.settings.assumptions))
    published, small, timed = study.programs
    context.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=context.results) as folder:
        sizes(study, result, write(published, published.ranks, context, Path(folder) / "a"))
        same(study, result, small, context, Path(folder))
        times(study, result, timed, context, Path(folder))
    return result


def write(
    entry: Entry, ranks: int, context: Context, folder: Path, parameters: Parameters | None = None
) -> tuple[Record, list[Path]]:
    """(the record, the files that the launch wrote into a folder of its own)"""
    folder.mkdir()
    wanted = (parameters or {}) | {"output": str(folder / "fort.20")}
    context.say(f"{entry.application} on {ranks} ranks: {wanted.get('way', entry.parameters.get('way', ''))}")
    record = launched(entry, Layout(ranks, 1), context, wanted)[1]
    return record, sorted(folder.iterdir())


def sizes(study: Study[Settings], result: Result, written: tuple[Record, list[Path]]) -> None:
    """Ours and theirs in the order of their sizes: ranks are numbered along other axes."""
    stated = sorted(
        (int(row["bytes"]), str(row["file"])) for row in study.published.table("files-before").rows
    )
    ours = sorted(path.stat().st_size for path in written[1])
    rows = []
    if len(ours) == len(stated):
        rows = [
            Row(f"size/{name}", bytes_, mine, "B", "measured")
            for (bytes_, name), mine in zip(stated, ours, strict=True)
        ]
        total = sum(bytes_ for bytes_, _ in stated)
        rows.append(Row("size/all files", total, sum(ours), "B", "measured"))
    rows.append(one_file(study))
    result.add(rows)
    lines = [
        [row.id.partition("/")[2], number(row.published), number(row.ours)] for row in result.of("size/")
    ]
    words = [
        "A file a process: a record of 12 B, then one of 8 B a point for each of five arrays; a record has two lengths of 4 B.",
        "One file: whole declared arrays of all processes, 63 x 63 x 243 points where a process has at most 61 x 61 x 211 of its own; "
        "the bytes of a declared point are fitted to the size.",
    ]
    result.sections.append(Section("Sizes", words, [], ["file", "published, B", "ours, B"], lines))


def one_file(study: Study[Settings]) -> Row:
    """Declared points x processes x bytes of each."""
    program = {str(row["item"]): row["value"] for row in study.published.table("program").rows}
    declared, processes = program["declared size of array U"], program["processes"]
    assert isinstance(declared, list) and isinstance(processes, int)
    points = declared[0] * declared[1] * declared[2]
    stated = study.published.number("file-after", "file", "fort_000_000_000.20", "bytes")
    ours = study.settings.bytes_of_declared_point * points * processes
    return Row("size/one file", stated, ours, "B", of=("bytes of a declared point",))


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def same(study: Study[Settings], result: Result, entry: Entry, context: Context, folder: Path) -> None:
    """Files of all ways and divisions against that of one process. Raises UserError for one that differs."""
    _, whole = write(entry, 1, context, folder / "whole")
    wanted, lines, equal = [digest(path) for path in whole], [], 0
    for way in study.settings.ways:
        for ranks, *blocks in study.settings.divisions:
            name = f"{way} {ranks} {' x '.join(map(str, blocks))}"
            cut = {f"blocks_{axis}": count for axis, count in zip("xyz", blocks, strict=True)}
            _, files = write(entry, ranks, context, folder / name, {"way": way, **cut})
            if whole and way != "split":
                require_equal(name, [digest(path) for path in files], wanted)
                equal += 1
            elif whole:
                require_joined(name, files, whole[0], entry, blocks, ranks)
            bytes_ = sum(path.stat().st_size for path in files)
            lines.append([way, str(ranks), " x ".join(map(str, blocks)), str(len(files)), number(bytes_)])
            shutil.rmtree(folder / name)
    result.add([Row("equal/files", None, equal, "1", "measured")])
    words = [
        "One file for all has the bytes of that of one process; files of a process each, taken apart, have its numbers."
    ]
    result.sections.append(
        Section("The same file", words, [], ["way", "ranks", "blocks", "files", "B"], lines)
    )


def require_equal(name: str, found: list[str], wanted: list[str]) -> None:
    if found != wanted:
        raise UserError(f"the file written by {name} differs from that of one process", "", "report it")


def require_joined(
    name: str, files: list[Path], whole: Path, entry: Entry, blocks: list[int], ranks: int
) -> None:
    """Numbers of the files of Fortran records at their places in the one file."""
    from . import records  # noqa: PLC0415

    extents = tuple(int(entry.parameters[f"n{axis}"]) for axis in "xyz")
    joined = records.joined([path.read_bytes() for path in files], extents, tuple(blocks))
    if joined != whole.read_bytes()[HEADER:]:
        raise UserError(f"the {ranks} files written by {name} hold other numbers", "", "report it")


def times(study: Study[Settings], result: Result, entry: Entry, context: Context, folder: Path) -> None:
    spent: dict[tuple[int, str], list[float]] = {}
    for turn in range(study.settings.rounds):
        for ranks in study.settings.timed_ranks:
            for way in study.settings.ways:
                place = folder / f"{turn} {ranks} {way}"
                record, _ = write(entry, ranks, context, place, {"way": way})
                if metric := record.metric("written"):
                    spent.setdefault((ranks, way), []).append(metric.samples[0])
                shutil.rmtree(place)
    medians = {key: statistics.median(samples) for key, samples in spent.items()}
    result.add(
        [Row(f"rate/{way}/{ranks}", None, rate, "B/s", "measured") for (ranks, way), rate in medians.items()]
    )
    lines = [
        [
            str(ranks),
            way,
            number(rate / 1e6),
            f"{min(spent[ranks, way]) / 1e6:.0f} to {max(spent[ranks, way]) / 1e6:.0f}",
        ]
        for (ranks, way), rate in medians.items()
    ]
    words = [
        "Solution over the time to write, sync and rename it, in MB/s: the median of all turns, and their range."
    ]
    result.sections.append(Section("Times", words, [], ["ranks", "way", "MB/s", "range"], lines))
