"""Configures and builds the native programs; a stamp in the build folder makes later uses cheap."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, mpi_flavour, root
from hakaru.own.setup.packages import ensure_packages
from hakaru.own.setup.places import log_file, one_at_a_time
from hakaru.own.setup.progress import run_step

WATCHED = ("native", "apps", "probes", "cmake", "CMakeLists.txt", "CMakePresets.json")
BUILD_FILES = ("CMakeLists.txt", "CMakePresets.json")
NOT_BUILT = (".md", ".py", ".pyc", ".toml", ".swp")


def stamp_file() -> Path:
    return build_folder() / "hakaru-built.stamp"


def stamp_text() -> str:
    return f"{root()}\n{mpi_flavour()}\n"


def sources() -> Iterator[tuple[Path, int]]:
    """Every folder and file that the build reads, with its modification time in ns.

    A folder's changes when a file is added to it or removed.
    """
    for name in WATCHED:
        top = root() / name
        if top.is_file():
            yield top, top.stat().st_mtime_ns
        stack = [top] if top.is_dir() else []
        while stack:
            folder = stack.pop()
            yield folder, folder.stat().st_mtime_ns
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith((".", "__")):
                            stack.append(Path(entry.path))
                    elif not entry.name.endswith(NOT_BUILT):
                        try:
                            yield Path(entry.path), entry.stat().st_mtime_ns
                        except FileNotFoundError:
                            continue


def changed_sources() -> list[Path]:
    """What changed since the last build that succeeded; everything when there is none."""
    stamp = stamp_file()
    if not stamp.is_file() or stamp.read_text() != stamp_text():
        return [path for path, _ in sources()]
    built_ns = stamp.stat().st_mtime_ns
    return [path for path, modified_ns in sources() if modified_ns > built_ns]


def newest(paths_ns: Iterator[tuple[Path, int]]) -> int:
    return max((modified_ns for _, modified_ns in paths_ns), default=0)


def needs_configuring(changed: list[Path]) -> bool:
    """New or removed files and changed CMake files; a changed source file needs the build only."""
    if not (build_folder() / "build.ninja").is_file() or not stamp_file().is_file():
        return True
    return any(path.is_dir() or path.name in BUILD_FILES or path.suffix == ".cmake" for path in changed)


def configured_elsewhere() -> bool:
    """True when the build folder was configured for another source folder (a moved or copied checkout)."""
    cache = build_folder() / "CMakeCache.txt"
    if not cache.is_file():
        return False
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(errors="replace"), re.MULTILINE)
    return home is not None and home.group(1) != str(root())


def explain_configure(output: str) -> tuple[str, str]:
    found = re.search(
        r"Could NOT find (\S+)|Could not find a package configuration file provided by \"(\S+)\"", output
    )
    if found:
        return f"CMake did not find {found.group(1) or found.group(2)}", "install it or set CMAKE_PREFIX_PATH"
    return "CMake could not configure the native programs", "the lines above say why"


def explain_build(output: str) -> tuple[str, str]:
    lowered = output.lower()
    if "no space left" in lowered:
        return "the disk is full", "make room and start again"
    if "killed signal" in lowered or "cc1plus: out of memory" in lowered:
        return "the compiler ran out of memory", "start again with CMAKE_BUILD_PARALLEL_LEVEL=1"
    failed = re.search(r"^FAILED: (\S+)", output, re.MULTILINE)
    return f"{failed.group(1)} was not built" if failed else "the build failed", "the lines above say why"


def ninja_state(line: str) -> str | None:
    """``[12/345] Building CXX object native/base/...`` -> ``12/345 native/base/...``"""
    step = re.match(r"\[(\d+/\d+)\] (.*)", line)
    if not step:
        return None
    last = step.group(2).split()[-1] if step.group(2).split() else ""
    return f"{step.group(1)} {re.sub(r'CMakeFiles/[^/]*.dir/', '', last).removesuffix('.o')}"


def jobs() -> int:
    """Compilers at a time: the cores that this process may use."""
    if given := os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", ""):
        if not given.isdigit() or int(given) < 1:
            raise UserError(
                f"CMAKE_BUILD_PARALLEL_LEVEL={given} is not a number of compilers", "", "use 1 or more"
            )
        return int(given)
    return len(os.sched_getaffinity(0))


def preset() -> str:
    return "release" if mpi_flavour() == "openmpi" else f"release-{mpi_flavour()}"


def configure() -> None:
    folder = build_folder()
    fresh = ["--fresh"] if configured_elsewhere() else []
    command = ["cmake", "--preset", preset(), *fresh, "-S", str(root()), "-B", str(folder)]
    log = log_file(f"configure-{folder.name}")
    run_step(
        "configuring the native programs", command, log, explain=explain_configure, first_line="CMake Error"
    )


def build() -> None:
    """Configures where needed, builds, and leaves a stamp dated before the build: no change is missed."""
    changed = changed_sources()
    configuring = needs_configuring(changed)
    stamp = stamp_file()
    stamp.unlink(missing_ok=True)
    read_ns = newest(sources())
    if configuring:
        configure()
    command = ["ninja", "-C", str(build_folder()), "-j", str(jobs())]
    run_step(
        "building the native programs",
        command,
        log_file(f"build-{build_folder().name}"),
        variables={"NINJA_STATUS": "[%f/%t] "},
        state=ninja_state,
        explain=explain_build,
        first_line="FAILED: ",
    )
    stamp.write_text(stamp_text())
    os.utime(stamp, ns=(read_ns, read_ns))


def ensure_built() -> Path:
    """Builds the programs when their sources changed; returns the build folder. Raises UserError."""
    if not changed_sources():
        return build_folder()
    with one_at_a_time():
        if not changed_sources():
            return build_folder()
        ensure_packages(("build", mpi_flavour()))
        try:
            build_folder().mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot write in {build_folder()}",
                error.strerror or str(error),
                "name a folder of your own in HAKARU_BUILD",
                ENVIRONMENT,
            ) from error
        build()
    return build_folder()
