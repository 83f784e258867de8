"""From the raw files of the ranks to an OTF2 archive, by the converter if it is built."""

import subprocess
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts import native

CONVERTER = "hakaru_trace_convert"


def converter() -> Path | None:
    """The built converter; None where it is not."""
    try:
        return native.tool(CONVERTER)
    except UserError:
        return None


def convert(raw: Path, archive: Path) -> str | None:
    """Makes the archive; None when it is there, else why it is not."""
    program = converter()
    if program is None:
        return f"{CONVERTER} is not built for this MPI library"
    done = subprocess.run([str(program), str(raw), str(archive)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return done.stderr.strip() or f"{CONVERTER} ended with status {done.returncode}"
