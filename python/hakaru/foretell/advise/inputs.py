"""What a person gave to be compared: traces and schedules that are there, of one program, and what is wrong with how they were taken."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.traces.summary import About
from hakaru.facts.traces.trace import Trace
from hakaru.foretell.replay.source import Source

ENDINGS = (".otf2", ".json")


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
        return About(source.program or "")
    return Trace(source.path).about()


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
