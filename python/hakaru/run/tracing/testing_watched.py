"""What the tests of the watcher share: its library, its test programs, and runs with it."""

import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hakaru.facts.traces.file_use import FileUse, UsedFile
from hakaru.facts.traces.profile import Profile
from hakaru.run.tracing.build import sources, watcher
from hakaru.run.tracing.file_use import file_use
from hakaru.run.tracing.profile import profile

PROGRAMS = sources() / "watch" / "tests"
COMPILERS = {".c": "cc", ".cpp": "c++", ".f90": "gfortran"}
PERIOD_NS = 5_000_000


@dataclass
class Run:
    """A run that was watched, and where its raw files lie."""

    raw: Path
    done: subprocess.CompletedProcess

    @property
    def profile(self) -> Profile:
        found = profile(self.raw)
        assert found is not None, "there are samples"
        return found

    @property
    def files(self) -> FileUse:
        found = file_use(self.raw)
        assert found is not None, "files were used"
        return found

    def file(self, name: str) -> UsedFile:
        (found,) = [file for file in self.files.files if file.path.endswith(f"/{name}")]
        return found


class Programs:
    """Test programs, compiled once."""

    def __init__(self, folder: Path):
        self.folder = folder

    def compile(self, source: str, *options: str, name: str = "") -> Path:
        made = self.folder / (name or "-".join([Path(source).stem, *options]))
        if not made.exists():
            compiler = shutil.which(COMPILERS[Path(source).suffix])
            command = [
                compiler,
                "-O1",
                "-g",
                *options,
                str(PROGRAMS / source),
                "-o",
                str(made),
                "-lpthread",
                "-ldl",
            ]
            # A compiler of Fortran writes the files of modules into the current folder.
            subprocess.run(command, check=True, capture_output=True, cwd=self.folder)
        return made


def watched(command: list[str], folder: Path, code: int | None = 0, raw: Path | None = None, **more) -> Run:
    """Runs a command in ``folder`` with the watcher; ``code``: the exit status that it must have, None for any."""
    raw = raw or folder / "raw"
    variables = {
        "LD_PRELOAD": str(watcher()),
        "HAKARU_TRACE_FOLDER": str(raw),
        "HAKARU_TRACE_PROFILE": str(PERIOD_NS),
        "HAKARU_TRACE_FILES": "1",
    }
    # The library goes into the program alone, not into what starts it.
    line = ["env", *(f"{name}={value}" for name, value in variables.items()), *map(str, command)]
    done = subprocess.run(
        line,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=dict(os.environ),
        **more,
    )
    assert code is None or done.returncode == code, f"{done.returncode}: {done.stderr[-2000:]}"
    return Run(raw, done)


def innermost(found: Profile, process: int | None = None, thread: int | None = None) -> Counter[str]:
    """Samples by the routine that they lie in."""
    counts: Counter[str] = Counter()
    for stack in found.stacks:
        if process in (None, stack.process) and thread in (None, stack.thread):
            counts[found.frames[stack.frames[0]].routine] += stack.samples
    return counts
