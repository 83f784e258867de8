"""What the tests of kits share: results of a kit that were never there."""

import json
from pathlib import Path

from hakaru.base.files import load_module
from hakaru.base.paths import root
from hakaru.facts.records import Record
from hakaru.facts.traces.layout import FINALIZED, HEADER_BYTES, Header
from hakaru.run.kit.about import About
from hakaru.run.kit.home import digest_of


def rank_file(folder: Path, rank: int, ranks: int, more_bytes: int = 64) -> Path:
    """The raw file of a rank that called nothing; its records are ``more_bytes`` long."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rank-{rank:07d}.hkr"
    header = Header(
        counters_offset=HEADER_BYTES,
        records_offset=HEADER_BYTES,
        records_end=HEADER_BYTES + more_bytes,
        rank=rank,
        world_size=ranks,
        status=FINALIZED,
        host="node1",
        boot_id="b",
        program="/p",
        mpi_library="MPI",
    )
    path.write_bytes(header.packed() + bytes(more_bytes))
    return path


def kit_results(folder: Path, records: list[Record] = (), traces: dict[str, int] | None = None) -> Path:
    """Results with these records, and traces of so many ranks; with checksums of all."""
    (folder / "records").mkdir(parents=True)
    about = About.of({"a": b"1"}, ("messages",))
    (folder / "kit.json").write_text(json.dumps(about.as_dict()))
    for record in records:
        (folder / "records" / f"{record.id}.json").write_text(json.dumps(record.as_dict()))
    for name, ranks in (traces or {}).items():
        for rank in range(ranks):
            rank_file(folder / "traces" / name / "raw", rank, ranks)
    sign(folder)
    return folder


def sign(folder: Path) -> None:
    """As pack.sh does."""
    files = sorted(
        path for place in ("records", "traces") for path in (folder / place).rglob("*") if path.is_file()
    )
    lines = [f"{digest_of([path])}  {path.relative_to(folder)}\n" for path in files]
    (folder / "checksums").write_text("".join(lines))


def generator():
    return load_module(root() / "native" / "trace" / "preload" / "generate.py")
