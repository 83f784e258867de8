"""From the raw files of the ranks to an OTF2 archive, by the converter if it is built."""

import json
import subprocess
from pathlib import Path

from hakaru.base.paths import build_folder

CONVERTER = "hakaru_trace_convert"


def converter() -> Path | None:
    """The built converter: listed in programs.json under "tools", or beside the programs."""
    folder = build_folder()
    try:
        tools = json.loads((folder / "programs.json").read_text()).get("tools", [])
    except (OSError, json.JSONDecodeError):
        tools = []
    named = [folder / tool["path"] for tool in tools if tool.get("name") == CONVERTER]
    for path in [*named, folder / "bin" / CONVERTER]:
        if path.is_file():
            return path
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
