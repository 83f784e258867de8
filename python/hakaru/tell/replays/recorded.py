"""A replay over time: the page of a trace, of the archive that the replay wrote."""

from pathlib import Path

from hakaru.facts.traces.trace import Trace
from hakaru.foretell.replay.documents.answer import Answer
from hakaru.tell.traces.timeline.section import of_archive
from hakaru.tell.traces.trace_page import Shown, write_page


def write_timeline(path: Path, archive: Path, kept: Path | None, answer: Answer) -> None:
    """``kept``: the archive, where a person wanted it. Raises UserError when the page cannot be written."""
    trace = Trace.of_archive(archive)
    name = f"{answer.input.name} on {answer.machine}"
    write_page(path, trace.summary(), Shown(name, "replay", _go_on(kept), of_archive(trace), str(kept or "")))


def _go_on(kept: Path | None) -> tuple[tuple[str, str], ...]:
    if kept is None:
        return ()
    return (
        (f"hakaru trace timeline {kept} --from 0.1 --to 0.2", "shows a stretch of it with more detail."),
        (f"hakaru trace export --perfetto {kept} -o replay.json", "writes it for other viewers."),
    )
