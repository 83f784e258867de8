"""What ``hakaru collect`` says: records, machine file, traces, and what did not come home as it was."""

import sys
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT
from hakaru.base.output import print_json
from hakaru.base.units import count
from hakaru.facts.machines.settle import refusal
from hakaru.facts.records import RecordStore
from hakaru.facts.traces.summary import Marks
from hakaru.run.kit.collect import Collected, collect
from hakaru.run.kit.home import AGAIN, Home
from hakaru.tell.traces.command import Request, tell_raw


@dataclass(frozen=True)
class Asked:
    """``name``: of the machine; ``output``: of its file; ``raw``: traces are copied and not read."""

    folder: Path
    results: Path
    name: str | None = None
    output: Path | None = None
    raw: bool = False
    as_json: bool = False


def collected(asked: Asked) -> int:
    """Exit status: 0, or 4 where something did not come home whole or a machine's facts were refused; all the rest is kept then."""
    home = Home.read(asked.folder)
    found = collect(home, RecordStore(asked.results), asked.name, asked.output)
    for folder in () if asked.raw else found.traces:
        tell_raw(folder, Request((), marks=Marks()))
    print_json(_tree(home, found)) if asked.as_json else _print(home, found, asked.results)
    for path, why in found.problems:
        print(f"hakaru: {path} was not collected ({why}); {AGAIN}, and collect again", file=sys.stderr)
    if found.refused:
        why = "something else used the machine while it was probed"
        print(
            f"hakaru: {refusal(found.refused)} ({why}); probe there again, and collect again", file=sys.stderr
        )
    return ENVIRONMENT if found.problems or found.refused else 0


def _tree(home: Home, found: Collected) -> dict:
    return {
        "kit": home.about.as_dict(),
        "records": found.made,
        "known": found.known,
        "traces": [str(folder.path) for folder in found.traces],
        "known_traces": [str(folder.path) for folder in found.known_traces],
        "machine": str(found.machine_file) if found.machine_file else None,
        "left_out": home.left_out(),
        "without_record": home.without_record(),
        "failed": [{"program": record.program, "reason": record.failure.reason} for record in found.failed],
        "problems": [{"file": str(path), "reason": why} for path, why in found.problems],
    }


def _print(home: Home, found: Collected, results: Path) -> None:
    print(f"{count(len(found.made), 'record')} made in {results}")
    if found.known:
        print(f"{count(len(found.known), 'record')} had been collected before")
    for folder in found.known_traces:
        print(f"{folder.path} had been collected before")
    for text in home.left_out():
        print(f"left out there: {text}")
    for text in home.without_record():
        print(f"no record there: {text}")
    for record in found.failed:
        print(f"failed there: {record.program} ({record.failure.reason})")
    if found.machine:
        print(f"machine {found.machine.name}: {found.machine_file}")
