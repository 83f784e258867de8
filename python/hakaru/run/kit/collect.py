"""Results of a kit into a results folder, as if they had been made here: records, machine file, raw traces."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_atomically
from hakaru.facts.machines import Machine
from hakaru.facts.machines.consistency import Contradiction
from hakaru.facts.machines.from_probes import distil_checked
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.traces.trace import TraceFolder
from hakaru.run.kit.home import Home, digest_of

ORIGIN = "collected.sha256"  # in a trace's folder: of which raw files it was made


@dataclass
class Collected:
    """Ids of records that are new here and that were here; records of runs that ``failed`` there; folders of traces that are new (raw
    files only, to be converted) and that were here; ``problems``: (file, why)."""

    made: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    failed: list[Record] = field(default_factory=list)
    traces: list[TraceFolder] = field(default_factory=list)
    known_traces: list[TraceFolder] = field(default_factory=list)
    machine: Machine | None = None
    machine_file: Path | None = None
    refused: list[Contradiction] = field(default_factory=list)
    problems: list[tuple[Path, str]] = field(default_factory=list)


def collect(home: Home, store: RecordStore, name: str | None = None, output: Path | None = None) -> Collected:
    """``output``: of the machine file; None: machine.toml of the results folder, or NAME.toml where that is another machine's. Raises UserError
    when the results folder cannot be written."""
    store.prepare()
    found = Collected()
    records = home.records()
    found.failed = [record for record in records if not record.ok]
    for record in records:
        _publish(record, store, home, found)
    for folder in home.traces():
        _bring(folder, store.folder / "traces" / folder.name, found)
    found.problems = home.problems + found.problems
    probes = newest([record for record in records if record.ok and record.kind == "probe"])
    if probes:
        name = name or probes[-1].environment.host
        found.machine, found.refused = distil_checked(probes, name, f"nodes of {name}, probed with a kit")
        found.machine_file = output or _machine_file(store, name)
        found.machine.save(found.machine_file)
    return found


def newest(records: list[Record]) -> list[Record]:
    """Of each probe those of the last campaign in which it succeeded."""
    last = {record.program: record.campaign for record in sorted(records, key=lambda one: one.started)}
    return [record for record in records if record.campaign == last[record.program]]


def _publish(record: Record, store: RecordStore, home: Home, found: Collected) -> None:
    path = store.path(record.id)
    if not path.exists():
        found.made.append(store.write(record).id)
        return
    try:
        same = Record.read(path) == record
    except (OSError, ValueError):
        same = False
    if same:
        found.known.append(record.id)
    else:
        own = home.folder / "records" / path.name
        found.problems.append(
            (own, f"another record of this id is in {store.records}; both stay as they are")
        )


def _bring(source: Path, target: Path, found: Collected) -> None:
    """Copies the raw files beside the target and renames them, so that a trace is there as a whole or not."""
    files = sorted(path for path in (source / "raw").iterdir() if path.is_file())
    digest = digest_of(files)
    folder = TraceFolder(target)
    if target.exists():
        kept = target / ORIGIN
        if kept.is_file() and kept.read_text().strip() == digest:
            (found.known_traces if folder.archive.is_dir() else found.traces).append(folder)
        else:
            found.problems.append(
                (source, f"another trace of this name is in {target}; both stay as they are")
            )
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        (part / "raw").mkdir(parents=True)
        for path in files:
            shutil.copyfile(path, part / "raw" / path.name)
        write_atomically(part / ORIGIN, lambda file: file.write(f"{digest}\n".encode()))
        part.rename(target)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise UserError(
            f"cannot write {target}",
            error.strerror or str(error),
            "free some space, or name another --results",
            ENVIRONMENT,
        ) from None
    found.traces.append(folder)


def _machine_file(store: RecordStore, name: str) -> Path:
    usual = store.folder / "machine.toml"
    if not usual.is_file():
        return usual
    try:
        there = Machine.load(usual).name
    except UserError:
        there = None
    return usual if there == name else store.folder / f"{name}.toml"
