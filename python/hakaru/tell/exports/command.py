"""``hakaru export``: launches of a results folder into a file for other programs."""

import sys
from pathlib import Path

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.facts.history.selection import side
from hakaru.facts.records import RecordStore, Wanted
from hakaru.tell import exports
from hakaru.tell.exports.options import Request


def answer(request: Request) -> None:
    """Raises UserError where nothing is there to be written, or it cannot be written."""
    known = exports.formats()
    if request.format not in known:
        raise UserError(
            f"there is no format {request.format}", f"known are: {', '.join(known)}", "choose one of them"
        )
    module = exports.named(request.format)
    folder = results_folder(request.results)
    entries, left_out, damaged = _chosen(request, folder)
    if module.needs_time:
        kept = [entry for entry in entries if entry.is_run and entry.left_out is None]
        left_out, entries = left_out + len(entries) - len(kept), kept
    if not entries:
        raise UserError(
            f"nothing to write as {request.format}",
            f"{folder} has no such launch, {left_out} were left out",
            "see what is there with: hakaru records",
        )
    paths = module.write(request.output, entries, request.system)
    if left_out:
        print(f"hakaru: {left_out} records left out: their times are no performance", file=sys.stderr)
    for path, reason in damaged:
        print(f"hakaru: damaged and left out: {path} ({reason})", file=sys.stderr)
    if request.as_json:
        print_json({"files": [str(path) for path in paths], "launches": len(entries), "left_out": left_out})
    else:
        print(
            f"{units.count(len(entries), 'launch', 'launches')}: {', '.join(map(str, paths[:4]))}{' ...' * (len(paths) > 4)}"
        )


def _chosen(request: Request, folder: Path):
    """Entries, how many were left out of them, damaged files."""
    if request.select:
        found = side(request.select, folder, request.program)
        return found.entries, sum(found.left_out.values()), found.damaged
    store = RecordStore(folder)
    if not store.records.is_dir():
        raise UserError(
            f"no records in {folder}", "there is no such folder", "name another with --results DIR"
        )
    return store.entries(Wanted(request.program)), 0, store.damaged
