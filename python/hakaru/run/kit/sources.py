"""Which sources a kit takes: those that CMake compiles for the probes and their libraries, and every header of ours that they include.

The lists are read from the CMakeLists.txt that build the full installation, so that a new probe comes into the kit by itself."""

import re
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.paths import root

INCLUDE = re.compile(r'^#include "((?:native|probes)/[^"]+)"', re.MULTILINE)
MADE = "native/base/build_info.hpp"  # written by the kit's configure.sh
NEEDED = {
    "#include <hwloc.h>": "hwloc",
    "std::chars_format": "charconv",
}  # what of its sources shows it: what a probe needs
LIBRARIES = {  # library: the CMakeLists.txt that says its sources; () of parallel: by MPI
    "base": "native/CMakeLists.txt",
    "harness": "native/CMakeLists.txt",
    "schedule": "native/schedule/CMakeLists.txt",
    "parallel": "native/CMakeLists.txt",
}
ALGORITHMS = "native/replay/engine/collectives"  # of the probe `collectives`
ALONE = ("native/parallel/collectives/", "native/parallel/groups.cpp", "native/parallel/rma_path.cpp")


@dataclass(frozen=True)
class Unit:
    """A library or a probe: ``sources`` are compiled together where ``together`` says so, those in ``options`` alone and with these.
    ``needs``: libraries that it is built with or not at all."""

    name: str
    sources: tuple[str, ...]
    together: bool
    options: dict[str, str]
    mpi: bool = True
    needs: tuple[str, ...] = ()


def _words(text: str) -> list[str]:
    return re.sub(r"#.*", "", text).split()


def libraries() -> list[Unit]:
    found = []
    for name, file in LIBRARIES.items():
        text = (root() / file).read_text()
        words = _words(re.search(rf"add_library\(hakaru_{name} STATIC\s+([^)]*)\)", text)[1])
        folder = Path(file).parent
        sources = tuple(str(folder / word) for word in words)
        options = {source: "" for source in sources if source.startswith(ALONE)}
        found.append(Unit(name, sources, True, options))
    algorithms = sorted((root() / ALGORITHMS).glob("*.cpp"))
    own = tuple(str(path.relative_to(root())) for path in algorithms if not path.stem.endswith("_test"))
    return [*found, Unit("algorithms", own, False, {})]


def probes() -> list[Unit]:
    """Every probe, without the template."""
    files = sorted((root() / "probes").glob("*/CMakeLists.txt"))
    return [_probe(path) for path in files if not path.parent.name.startswith("_")]


def _probe(file: Path) -> Unit:
    text = file.read_text()
    words = _words(re.search(r"hakaru_leaf\(([^)]*)\)", text)[1])
    start = words.index("SOURCES") + 1
    named = [word for word in words[start:] if word.endswith(".cpp") and "_test" not in word]
    places = [(file.parent / word).resolve().relative_to(root().resolve()) for word in named]
    options = {}
    for names, flags in re.findall(
        r"set_source_files_properties\(([^)]*?)\s+PROPERTIES COMPILE_OPTIONS\s+\"([^\"]*)\"\)", text
    ):
        for name in names.split():
            options[f"probes/{file.parent.name}/{name}"] = flags.replace(";", " ")
    sources = tuple(map(str, places))
    own = "".join(path.read_text() for path in file.parent.glob("*.[ch]pp") if "_test" not in path.name)
    needs = tuple(library for sign, library in NEEDED.items() if sign in own)
    return Unit(words[0], sources, "TOGETHER" in words, options, "NO_MPI" not in words, needs)


def with_headers(sources: list[str]) -> list[str]:
    """These files and every header of ours that they come to include."""
    found: dict[str, None] = {}
    waiting = list(sources)
    while waiting:
        name = waiting.pop()
        if name in found or name == MADE:
            continue
        found[name] = None
        waiting += INCLUDE.findall((root() / name).read_text())
    return sorted(found)
