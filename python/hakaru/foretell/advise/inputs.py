"""What a person gave to be compared: traces and schedules that are there, of one program, and what is wrong with how they were taken."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.foretell.replay.source import Source

ENDINGS = (".otf2", ".json")


@dataclass(frozen=True)
class About:
    """What a trace or schedule says of itself."""

    program: str | None
    warnings: tuple[str, ...] = ()


def are_traces(words: Sequence[str], programs: Sequence[str]) -> bool:
    """Whether paths are given, not a program of hakaru with its parameters."""
    if not words:
        raise UserError(
            "no program is named", "advice is for one", "for example hakaru advise turbulence n=128 --nodes 4"
        )
    if words[0] in programs and not any(_is_path(word) for word in words[1:] if "=" not in word):
        return False
    return any(_is_path(word) for word in words if "=" not in word)


def _is_path(word: str) -> bool:
    path = word.rpartition("@")[0] or word
    return "/" in path or path.endswith(ENDINGS) or Path(path).exists()


def missing(paths: Sequence[str]) -> None:
    """Raises UserError that names the paths which do not exist."""
    lost = [path for path in paths if not Path(path).exists()]
    if lost:
        raise UserError(
            f"there is no {' and no '.join(lost)}",
            "no such file or folder",
            "give traces that hakaru trace wrote, or schedules",
        )


def about(source: Source) -> About:
    if source.kind != "trace":
        return About(source.program)
    command = [str(native.tool("hakaru_trace_summary")), str(source.path), "--read"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(done.stderr.strip().removeprefix("hakaru_trace_summary: "), exit_code=done.returncode)
    told = json.loads(done.stdout)
    return About(told["program"] or None, tuple(told["warnings"]))


def of_one_program(found: Mapping[str, About], one_program: bool) -> None:
    """Raises UserError when they name programs that differ, unless the person says that these are builds of one."""
    names = {name: Path(one.program).name for name, one in found.items() if one.program}
    if one_program or len(set(names.values())) < 2:
        return
    raise UserError(
        "the traces are of different programs",
        ", ".join(f"{path} of {program}" for path, program in names.items()),
        "compare layouts of one program, or say --one-program when these are builds of one",
    )
