"""Configures and builds the native programs that are asked for; stamps in the build folder make later uses cheap."""

import json
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, mpi_flavour, root
from hakaru.own import setup
from hakaru.own.setup import stamps
from hakaru.own.setup.needs import missing, of_build
from hakaru.own.setup.packages import ensure_packages
from hakaru.own.setup.places import log_file, one_at_a_time
from hakaru.own.setup.progress import run_step, say
from hakaru.own.setup.targets import EVERYTHING, PROGRAMS

FILE_S = 5.0  # of one core for one step, several files together: mean over what the main job needs (gcc 12, EPYC, 2026-11-22)
MOST_NAMED = 8  # targets that a line of progress names


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


def files_to_compile(targets: list[str]) -> int:
    """Files of these targets that were never compiled. What has changed since, ninja finds out itself."""
    command = ["ninja", "-C", str(build_folder()), "-t", "inputs", *targets]
    inputs = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    return sum(
        line.endswith(".o") and not (build_folder() / line).is_file()
        for line in map(str.strip, inputs.splitlines())
    )


def estimate(files: int, compilers: int) -> str:
    """``85 files, about 2 min on 2 cores``: how long a build takes on a machine that does nothing else."""
    seconds = files * FILE_S / compilers
    shown = f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
    return f"{files} file{'s' if files > 1 else ''} to compile, about {shown} on {compilers} core{'s' if compilers > 1 else ''}"


def left_out() -> dict[str, str]:
    """Leaves and tools that the build folder was configured without -> what they need."""
    try:
        listed = json.loads((build_folder() / "programs.json").read_text())
    except (OSError, ValueError):
        return {}
    return {one["name"]: one["needs"] for one in listed.get("left_out", ())}


def has_come() -> bool:
    """Whether everything is here of which something was missing when the build folder was configured."""
    return bool(left_out()) and not missing(("build", mpi_flavour()))


def build(targets: Iterable[str], what: str) -> None:
    """Configures where needed, builds, and leaves stamps dated before the build: no change is missed."""
    now = stamps.now()
    wanted = stamps.without_stamp(targets, now)
    if stamps.needs_configuring() or has_come():
        stamps.remove([stamps.CONFIGURED])
        configure()
        stamps.leave([stamps.CONFIGURED], now)
    absent = left_out()
    for name in (one for one in wanted if one in absent):
        say(f"left out: {name} (it needs {absent[name]}, which is not here)")
    wanted = [one for one in wanted if one not in absent]
    if not wanted:
        return
    stamps.remove(wanted)
    if files := files_to_compile(wanted):
        say(f"building {what}: {estimate(files, jobs())}")
    run_step(
        f"building {what}",
        ["ninja", "-C", str(build_folder()), "-j", str(jobs()), *wanted],
        log_file(f"build-{build_folder().name}"),
        variables={"NINJA_STATUS": "[%f/%t] "},
        state=ninja_state,
        explain=explain_build,
        first_line="FAILED: ",
    )
    stamps.leave(wanted, now)


def is_current(targets: Iterable[str]) -> bool:
    """Nothing has to be configured or built before these targets can be used."""
    now = stamps.now()
    return not stamps.needs_configuring(now) and not stamps.without_stamp(targets, now)


def words_for(targets: Iterable[str]) -> str:
    """What is being built, for people."""
    names = list(targets)
    if EVERYTHING in names:
        return "the native programs and their tests"
    if PROGRAMS in names or len(names) > MOST_NAMED:
        return "the native programs"
    return ", ".join(names)


def would_build(targets: Iterable[str]) -> bool:
    """Whether ``build_more`` has something to do."""
    return setup.launched and not is_current(targets)


def build_more(targets: Iterable[str]) -> None:
    """Builds what a command that ./hakaru started comes to need; one that was started otherwise takes what is there."""
    if setup.launched:
        ensure_built(targets)


def built_elsewhere(targets: Iterable[str]) -> bool:
    """Whether HAKARU_BUILD names a folder with these programs while this system has not what builds them: they are used as they are."""
    if "HAKARU_BUILD" not in os.environ or not missing(("build", mpi_flavour())):
        return False
    listed = (build_folder() / "programs.json").is_file()
    return listed and all((build_folder() / "bin" / one).is_file() for one in targets if one != PROGRAMS)


def ensure_built(targets: Iterable[str] = (PROGRAMS,)) -> Path:
    """Builds these targets where their sources changed, and configures first (so with no target too); returns the build folder.

    Raises UserError.
    """
    targets = tuple(dict.fromkeys(targets))
    if is_current(targets):
        return build_folder()
    with one_at_a_time():
        if is_current(targets) or built_elsewhere(targets):
            return build_folder()
        ensure_packages(of_build())
        try:
            build_folder().mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot write in {build_folder()}",
                error.strerror or str(error),
                "name a folder of your own in HAKARU_BUILD",
                ENVIRONMENT,
            ) from error
        build(targets, words_for(targets))
    return build_folder()
