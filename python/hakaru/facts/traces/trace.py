"""The noun ``Trace``: an OTF2 archive, ours or anybody's, and the folder in which ``hakaru trace`` keeps what it made of a run."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts import native
from hakaru.facts.traces.raw import RawFile, raw_files
from hakaru.facts.traces.summary import About, Marks, TraceSummary
from hakaru.facts.traces.timeline import Window

ANCHOR = "traces.otf2"  # of an archive that Score-P or hakaru made; others end with SUFFIX, too
SUFFIX = ".otf2"
READER = "hakaru_trace_summary"
CONVERTER = "hakaru_trace_convert"
TIMELINE = "hakaru_trace_timeline"
EXPORTER = "hakaru_trace_export"


class Exported(msgspec.Struct, frozen=True):
    """What an export wrote; ``bytes`` of all its files."""

    ranks: int
    calls: int
    bursts: int
    messages: int
    phases: int
    bytes: int


@dataclass(frozen=True)
class Trace:
    """``path``: the anchor of the archive."""

    path: Path

    @classmethod
    def of_archive(cls, folder: Path) -> Self:
        """The archive in a folder, or in the folder that ``hakaru trace`` wrote. Raises UserError when there is none."""
        inside = TraceFolder(folder).archive
        folder = inside if (inside / ANCHOR).is_file() else folder
        if not (folder / ANCHOR).is_file():
            raise UserError(
                f"{folder} is no trace", f"it holds no {ANCHOR}", "give the folder that hakaru trace wrote"
            )
        return cls(folder / ANCHOR)

    def summary(self, marks: Marks = Marks()) -> TraceSummary:  # noqa: B008
        """Raises UserError when the tool is not built or refuses the archive."""
        done = self._read("--json", *marks.words)
        if done.returncode != 0:
            raise UserError(
                "the trace cannot be analysed",
                done.stderr.strip() or "no reason given",
                "see the archive",
                ENVIRONMENT,
            )
        return msgspec.json.decode(done.stdout, type=TraceSummary)

    def about(self) -> About:
        """Raises UserError in the tool's own words when it refuses the archive."""
        done = self._read("--read")
        if done.returncode != 0:
            raise UserError(done.stderr.strip().removeprefix(f"{READER}: "), exit_code=done.returncode)
        return msgspec.json.decode(done.stdout, type=About)

    def timeline(self, window: Window = Window()) -> bytes:  # noqa: B008
        """The document of ``facts/traces/timeline.py``. Raises UserError in the tool's own words when it refuses the archive."""
        return _told(TIMELINE, [str(self.path), *window.words])

    def export(self, form: str, output: Path) -> Exported:
        """Writes the trace for another viewer; ``form`` is perfetto, paraver or csv. Raises UserError; nothing is left then."""
        words = [str(self.path), f"--{form}", "--output", str(output)]
        return msgspec.json.decode(_told(EXPORTER, words), type=Exported)

    def _read(self, *words: str) -> subprocess.CompletedProcess:
        command = [str(native.tool(READER)), str(self.path), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def _told(tool: str, words: list[str]) -> bytes:
    """What a tool prints."""
    done = subprocess.run([str(native.tool(tool)), *words], capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode(errors="replace").strip().removeprefix(f"{tool}: ")
    code = done.returncode if done.returncode in (2, 3, 4) else ENVIRONMENT
    raise UserError(said or f"{tool} ended with status {done.returncode} and said nothing", exit_code=code)


@dataclass(frozen=True)
class TraceFolder:
    """``raw/``: what the ranks wrote; ``archive/``: the OTF2 archive that becomes of it; ``summary.json`` and ``trace.html``."""

    path: Path

    @property
    def raw(self) -> Path:
        return self.path / "raw"

    @property
    def archive(self) -> Path:
        return self.path / "archive"

    @property
    def page(self) -> Path:
        return self.path / "trace.html"

    @property
    def trace(self) -> Trace:
        return Trace.of_archive(self.archive)

    def make(self, exist_ok: bool = True) -> Self:
        """Raises OSError when it cannot be made."""
        self.path.mkdir(parents=True, exist_ok=exist_ok)
        self.raw.mkdir()
        return self

    def raw_files(self) -> list[RawFile]:
        return raw_files(self.raw)

    def convert(self) -> str | None:
        """Makes the archive; None when it is there, else why it is not."""
        return convert(self.raw, self.archive)

    def drop_raw(self) -> None:
        shutil.rmtree(self.raw)

    def drop(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def keep(self, summary: TraceSummary) -> None:
        write_json_atomically(self.path / "summary.json", summary.as_dict())


def converter() -> Path | None:
    """None where it is not built."""
    try:
        return native.tool(CONVERTER)
    except UserError:
        return None


def convert(raw: Path, archive: Path) -> str | None:
    """Makes an archive of the raw files of the ranks; None when it is there, else why it is not."""
    program = converter()
    if program is None:
        return f"{CONVERTER} is not built for this MPI library"
    done = subprocess.run([str(program), str(raw), str(archive)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return done.stderr.strip() or f"{CONVERTER} ended with status {done.returncode}"
