"""Writes a kit: one archive of plain sources, a Makefile and scripts (native/kit/)."""

import gzip
import io
import re
import tarfile
from pathlib import Path

import msgspec

from hakaru import __version__
from hakaru.base.errors import UserError
from hakaru.base.files import write_atomically
from hakaru.base.paths import root
from hakaru.run.batch.site import Site
from hakaru.run.kit import sources
from hakaru.run.kit.about import FILE, About
from hakaru.run.kit.bundled import BUNDLED, headers
from hakaru.run.kit.calls import calls_text
from hakaru.run.kit.jobs import scripts
from hakaru.run.kit.sources import Unit

MAIN = ["native/harness/main.cpp", "native/harness/ranks_mpi.cpp", "native/harness/ranks_serial.cpp"]
TRACER = (
    "native/trace",
    "native/trace/preload",
    "native/trace/watch",
)  # their C files; the wrappers are made there
MOST_BYTES = 2_000_000


def name_of_kit() -> str:
    return f"hakaru-kit-{__version__}"


def contents(site: Site | None = None, nodes: int = 1, names: list[str] | None = None) -> dict[str, bytes]:
    """Every file of a kit by its path in it. Raises UserError for probes that there are not, or where a header to be carried is missing."""
    chosen = _chosen(names)
    units = [*sources.libraries(), *chosen]
    own = sources.with_headers([*(source for unit in units for source in unit.sources), *MAIN])
    helpers = {unit.name: helper for unit in chosen if (helper := _helper(unit.name))}
    own += [source for _, source in helpers.values()]
    own += [str(path.relative_to(root())) for path in _tracer()]
    found = {name: (root() / name).read_bytes() for name in dict.fromkeys(own)}
    for path in sorted((root() / "native" / "kit").rglob("*")):
        if path.is_file():
            found[str(path.relative_to(root() / "native" / "kit"))] = path.read_bytes()
    for library in BUNDLED:
        found |= headers(library, [found[name] for name in own])
    licence = root() / "LICENSE"
    found |= {"LICENSE": licence.read_bytes()} if licence.is_file() else {}
    found |= {f"unity/{unit.name}.cpp": _unity(unit) for unit in units if _together(unit)}
    found["sources.mk"] = _rules(units, helpers).encode()
    found["calls.txt"] = calls_text().encode()
    found |= scripts(site, nodes)
    about = About.of(found, tuple(unit.name for unit in chosen))
    return found | {FILE: msgspec.json.format(msgspec.json.encode(about)) + b"\n"}


def write(path: Path, files: dict[str, bytes]) -> int:
    """The archive; its size in B. The same files make the same bytes. Raises UserError when it would be larger than 2 MB or cannot be written."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{name_of_kit()}/{name}")
            entry.size = len(files[name])
            entry.mode = 0o755 if files[name].startswith(b"#!") else 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    if packed.tell() > MOST_BYTES:
        raise UserError(
            f"the kit would have {packed.tell():,} B",
            f"it has to go through mail and slow lines, so {MOST_BYTES:,} B are the most",
            "name fewer probes",
        )
    write_atomically(path, lambda file: file.write(packed.getvalue()))
    return packed.tell()


def _chosen(names: list[str] | None) -> list[Unit]:
    known = {unit.name: unit for unit in sources.probes()}
    for name in names or ():
        if name not in known:
            raise UserError(
                f"there is no probe '{name}'", f"known are: {', '.join(known)}", "choose one of them"
            )
    return [unit for name, unit in known.items() if not names or name in names]


def _tracer() -> list[Path]:
    folders = [root() / name for name in TRACER]
    files = [
        path for folder in folders for pattern in ("*.[ch]", "*.awk") for path in sorted(folder.glob(pattern))
    ]
    return [*files, root() / "native" / "parallel" / "remote_operation.h"]


def _helper(probe: str) -> tuple[str, str] | None:
    """(program, source) of the small program that a probe starts."""
    text = (root() / "probes" / probe / "CMakeLists.txt").read_text()
    found = re.search(r"add_executable\((\w+) (\w+\.cpp)\)", text)
    return (found[1], f"probes/{probe}/{found[2]}") if found else None


def _together(unit: Unit) -> list[str]:
    return [source for source in unit.sources if unit.together and source not in unit.options]


def _unity(unit: Unit) -> bytes:
    return "".join(f'#include "{source}"\n' for source in _together(unit)).encode()


def _object(source: str) -> str:
    return f"objects/{source.removesuffix('.cpp')}.o"


def _objects(unit: Unit) -> list[str]:
    alone = [_object(source) for source in unit.sources if source not in _together(unit)]
    return ([f"objects/unity/{unit.name}.o"] if _together(unit) else []) + alone


def _rules(units: list[Unit], helpers: dict[str, tuple[str, str]]) -> str:
    """sources.mk: which objects make which library and program."""
    own = [
        unit
        for unit in units
        if (root() / "probes" / unit.name).is_dir() and unit.name not in sources.LIBRARIES
    ]
    lines = ["# What hakaru kit has read from its own CMakeLists.txt."]
    lines += [f"PROBES := {' '.join(unit.name for unit in own)}"]
    lines += [f"SERIAL := {' '.join(unit.name for unit in own if not unit.mpi)}"]
    lines += [f"PARALLEL := {' '.join(unit.name for unit in own if unit.mpi)}"]
    lines += [f"HELPERS := {' '.join(name for name, _ in helpers.values())}"]
    for library in sorted({need for unit in own for need in unit.needs}):
        lines += [f"NEEDS_{library} := {' '.join(unit.name for unit in own if library in unit.needs)}"]
    for unit in units:
        lines += [f"{_object(source)}: OPTIONS := {flags}" for source, flags in unit.options.items() if flags]
        if unit in own:
            lines += [
                f"bin/{unit.name}: {' '.join(_objects(unit))} $(OF_{'mpi' if unit.mpi else 'serial'}) $(COMMON)"
            ]
        else:
            lines += [f"archives/{unit.name}.a: {' '.join(_objects(unit))}"]
    for name, source in helpers.values():
        lines += [f"bin/{name}: {_object(source)}", "\t@mkdir -p $(@D)"]
        lines += ["\t@$(CXX_OF_MPI) $(OPENMP) -Wl,--as-needed -o $@ $^ $(LIBRARIES)"]
    return "\n".join([*lines, ""])
