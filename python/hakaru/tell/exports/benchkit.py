"""Results of BenchKit, RIKEN's continuous benchmarking: the JSON that its scripts/result.sh makes and its portal takes.

Read from github.com/RIKEN-RCCS/benchkit as of 22 August 2026 (commit 97a7a87): code, system, FOM with its unit, Exp, node_count, numproc_node
and nthreads as texts; source_info; fom_breakdown with sections {name, time in s} and overlaps. A file holds one result; several are numbered
as there: result0.json, result1.json.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from hakaru.base.files import write_atomically
from hakaru.facts.history.comparison import grouped
from hakaru.facts.records import Entry
from hakaru.facts.records.groups import plain

about = "results of RIKEN's BenchKit, a file for each problem, layout, machine and commit"
needs_time = True
NOTHING = "null"  # as result.sh writes what is not said


def write(path: Path, entries: Sequence[Entry], system: str | None) -> list[Path]:
    """Raises UserError when they cannot be written; several results get numbers behind the name."""
    found = results(entries, system)
    paths = (
        [path]
        if len(found) == 1
        else [path.with_name(f"{path.stem}{number}{path.suffix}") for number in range(len(found))]
    )
    for one, result in zip(paths, found, strict=True):
        text = (json.dumps(result, indent=2) + "\n").encode()
        write_atomically(one, lambda file, text=text: file.write(text))
    return paths


def results(entries: Sequence[Entry], system: str | None) -> list[dict[str, Any]]:
    """The figure of merit is the median time over launches in s."""
    found = []
    for _, same in sorted(grouped(entries).items()):
        settings: dict[tuple, list[Entry]] = {}
        for entry in same:
            seen = entry.environment
            key = tuple(seen.get(name, "") for name in ("host", "commit", "compiler", "MPI library"))
            settings.setdefault(key, []).append(entry)
        found += [_result(launches, system) for _, launches in sorted(settings.items())]
    return found


def _result(launches: list[Entry], system: str | None) -> dict[str, Any]:
    one, seen = launches[-1], launches[-1].environment
    nodes = max(1, len(seen.get("hosts", "").split()))
    names = dict.fromkeys(name for entry in launches for name in entry.phases)
    sections = [
        {
            "name": _word(name),
            "time": median(entry.phases[name] for entry in launches if name in entry.phases),
        }
        for name in names
    ]
    text = "_".join(f"{name}-{plain(value)}" for name, value in one.parameters.items())
    return {
        "code": one.program,
        "system": system or seen.get("host", "unknown"),
        "FOM": f"{median(entry.wall_s for entry in launches):.9g}",
        "FOM_unit": "s",
        "FOM_version": _word(f"hakaru-{seen['hakaru']}") if "hakaru" in seen else NOTHING,
        "Exp": _word(text) or NOTHING,
        "node_count": str(nodes),
        "numproc_node": str(-(-one.ranks // nodes)),
        "nthreads": str(one.threads),
        "description": _word(f"median_of_{len(launches)}_launches"),
        "confidential": NOTHING,
        "source_info": _source(one.commit),
        "fom_breakdown": {"sections": sections, "overlaps": []},
    }


def _source(commit: str) -> dict[str, str] | None:
    if not commit:
        return None
    return {"source_type": "git", "repo_url": "", "branch": "", "commit_hash": commit}


def _word(text: str) -> str:
    """The characters that BenchKit's own lines may hold, [A-Za-z0-9_.-]."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text)
