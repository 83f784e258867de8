"""What the build folder remembers: for configuring and for each target, the newest source that it was made from."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.paths import build_folder, mpi_flavour, root
from hakaru.own.setup.targets import EVERYTHING, PROGRAMS

WATCHED = ("native", "apps", "probes", "cmake", "CMakeLists.txt", "CMakePresets.json")
BUILD_FILES = ("CMakeLists.txt", "CMakePresets.json")
NOT_BUILT = (".md", ".py", ".pyc", ".toml", ".swp")
CONFIGURED = "configured"


@dataclass(frozen=True)
class Newest:
    """Newest modification times in ns: of all sources, and of what configuring reads (folders and CMake files)."""

    source_ns: int
    configuration_ns: int


def sources() -> Iterator[tuple[Path, int, bool]]:
    """Every file and folder that the build reads, with its modification time in ns, and whether configuring reads it.

    A folder's changes when a file is added to it or removed.
    """
    for name in WATCHED:
        top = root() / name
        if top.is_file():
            yield top, top.stat().st_mtime_ns, top.name in BUILD_FILES
        stack = [top] if top.is_dir() else []
        while stack:
            folder = stack.pop()
            yield folder, folder.stat().st_mtime_ns, True
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith((".", "__")):
                            stack.append(Path(entry.path))
                    elif not entry.name.endswith(NOT_BUILT):
                        try:
                            modified_ns = entry.stat().st_mtime_ns
                        except FileNotFoundError:
                            continue
                        configures = entry.name in BUILD_FILES or entry.name.endswith(".cmake")
                        yield Path(entry.path), modified_ns, configures


def now() -> Newest:
    source_ns = configuration_ns = 0
    for _, modified_ns, configures in sources():
        source_ns = max(source_ns, modified_ns)
        if configures:
            configuration_ns = max(configuration_ns, modified_ns)
    return Newest(source_ns, configuration_ns)


def file(target: str) -> Path:
    return build_folder() / "stamps" / target


def text() -> str:
    return f"{root()}\n{mpi_flavour()}\n"


def is_current(target: str, newest_ns: int) -> bool:
    try:
        stamp = file(target)
        return stamp.read_text() == text() and stamp.stat().st_mtime_ns >= newest_ns
    except FileNotFoundError:
        return False


def needs_configuring(newest: Newest | None = None) -> bool:
    """New or removed files and changed CMake files; a changed source file needs the build only."""
    newest = newest or now()
    built = (build_folder() / "build.ninja").is_file()
    return not built or not is_current(CONFIGURED, newest.configuration_ns)


def without_stamp(targets: Iterable[str], newest: Newest) -> list[str]:
    """The targets that were not built since a source changed, neither alone nor as part of all."""

    def built(target: str) -> bool:
        wholes = (EVERYTHING,) if target == EVERYTHING else (target, PROGRAMS, EVERYTHING)
        return any(is_current(whole, newest.source_ns) for whole in wholes)

    return [target for target in targets if not built(target)]


def remove(targets: Iterable[str]) -> None:
    for target in targets:
        file(target).unlink(missing_ok=True)


def leave(targets: Iterable[str], newest: Newest) -> None:
    """Stamps dated to the newest source that was read."""
    for target in targets:
        stamp = file(target)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(text())
        os.utime(stamp, ns=(newest.source_ns, newest.source_ns))
