"""``hakaru advise --io``: ways of writing, ranked for the files that a traced program wrote."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.paths import results_folder
from hakaru.facts.machines import Machine
from hakaru.facts.machines.files import resolve
from hakaru.facts.traces.file_use import FileUse
from hakaru.facts.traces.trace import TraceFolder
from hakaru.foretell.advise import ways
from hakaru.foretell.advise.written import Written, written
from hakaru.run.measuring import by_name

SCHEMA = "hakaru/io-advice/1"
FILES = "files.json"
LEAST_SHARE = 0.01  # of all bytes: files with less are not spoken of


@dataclass(frozen=True)
class FileAdvice:
    """Of files written alike: ways, the least time first."""

    files: Written
    ways: tuple[ways.Priced, ...]
    assumed: tuple[str, ...]

    @property
    def today(self) -> ways.Priced | None:
        return next((one for one in self.ways if one.today), None)

    @property
    def verdict(self) -> str:
        best, today = self.ways[0], self.today
        if today is None:
            return f"fastest: {_way(best)}"
        if today.close:
            return "as it is written today is as fast as any, as far as these facts tell"
        gain = units.seconds(today.time_s - best.time_s)
        return f"{_way(best)} would take {gain} less of {units.seconds(today.time_s)}"


@dataclass(frozen=True)
class IoAdvice:
    program: str
    machine: str
    found: tuple[FileAdvice, ...]
    source: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "program": self.program,
            "machine": self.machine,
            "source": self.source,
            "files": [
                dataclasses.asdict(one.files)
                | {
                    "ways": [dataclasses.asdict(way) for way in one.ways],
                    "assumed": list(one.assumed),
                    "verdict": one.verdict,
                }
                for one in self.found
            ],
        }


def advise(words: list[str], machine: str, results: str | None) -> IoAdvice:
    """Raises UserError where nothing can be ranked."""
    folder = _folder(words)
    use = _files(folder)
    ranks, together = _of_trace(folder, use)
    found = written(use, ranks, together)
    if not found:
        raise UserError(
            f"{folder} shows no file that was written", "there is nothing to rank", "trace a run that writes"
        )
    if ranks < 2:
        raise UserError(
            "one process wrote", "ways of writing differ for several ranks", "trace it with more ranks"
        )
    known = Machine.load(resolve(machine, results_folder(results)))
    total = sum(one.bytes for one in found)
    costs = ways.costs(known, ranks)
    advice = (
        FileAdvice(one, tuple(ways.rank(one, costs)), tuple(ways.assumed(one, costs)))
        for one in found
        if one.bytes >= LEAST_SHARE * total
    )
    return IoAdvice(Path(use.processes[0].program).name, known.name, tuple(advice), costs.source)


def _folder(words: list[str]) -> Path:
    """Of a trace that is there, or of a measured program, which is traced when that was not done."""
    if len(words) == 1 and Path(words[0]).is_dir():
        return Path(words[0])
    if found := by_name.named(words):
        return by_name.trace(found).parent.parent
    raise UserError(
        f"there is no trace {' '.join(words)}" if words else "no trace is named",
        "--io ranks ways of writing for files that a traced run wrote",
        "give the folder of a trace, or a measured program: hakaru advise --io my-trace",
    )


def _files(folder: Path) -> FileUse:
    try:
        return FileUse.read((folder / FILES).read_bytes())
    except FileNotFoundError:
        from hakaru.run.tracing.file_use import file_use

        if found := file_use(TraceFolder(folder).raw):
            return found
    except ValueError as error:
        raise UserError(f"{folder / FILES} cannot be read", str(error), "trace again") from None
    raise UserError(
        f"{folder} does not say which files were used",
        "they were not watched",
        "trace again without --no-files",
    )


def _of_trace(folder: Path, use: FileUse) -> tuple[int, bool]:
    """Ranks, and whether most MPI-IO calls that write are collective. Without an archive only ranks that used files are known."""
    try:
        summary = TraceFolder(folder).trace.summary()
    except UserError:
        return max(len({one.rank for one in use.processes if one.rank is not None}), 1), False
    writing = [one for one in summary.calls if one.name.startswith("MPI_File_") and "write" in one.name]
    together = sum(one.calls for one in writing if "_all" in one.name or "_ordered" in one.name)
    return len(summary.ranks), 2 * together > sum(one.calls for one in writing)


def show(advice: IoAdvice) -> None:
    from hakaru.base.tables import print_table

    for one in advice.found:
        files = one.files
        title = f"{files.name}: {units.capacity(files.bytes)} by {files.writers} of {units.count(files.ranks, 'rank')}"
        rows = [
            [
                f"{way.told}{' (today)' if way.today else ''}",
                str(way.calls),
                units.seconds(way.time_s),
                units.seconds_range(way.low_s, way.high_s) if way.low_s < way.high_s else "",
            ]
            for way in one.ways
        ]
        print_table(title, ["files", "calls", "time", "range"], rows, right=(1, 2, 3))
        print(f"{one.verdict[0].upper()}{one.verdict[1:]}.")
        print(
            f"In the trace its calls took {units.seconds(files.seconds)} on the process that they took longest."
        )
        for text in one.assumed:
            print(f"  assumed: {text}")
        print()
    print(f"Priced by {ways.FACTS} of '{advice.machine}' ({advice.source}).")


def _way(one: ways.Priced) -> str:
    return f"{one.told}, in {units.count(one.calls, 'call')} of a rank"
