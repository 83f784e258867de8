"""What was built: the files that ``programs.json`` lists, and where each is."""

from pathlib import Path
from typing import Literal

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder


class BuiltTool(msgspec.Struct, frozen=True):
    """``path``: in the build folder."""

    name: str
    path: str


class BuiltLeaf(BuiltTool, frozen=True):
    """An app or a probe. ``source``: its folder in the sources; ``needs_mpi``: it starts under an MPI launcher."""

    kind: Literal["app", "probe"]
    source: str
    needs_mpi: bool


class LeftOut(msgspec.Struct, frozen=True):
    """A leaf or a tool that is not built here; ``needs``: libraries that are not here."""

    name: str
    needs: str


class _Listing(msgspec.Struct, frozen=True):
    programs: tuple[BuiltLeaf, ...]
    tools: tuple[BuiltTool, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def leaves() -> tuple[BuiltLeaf, ...]:
    """Every leaf of the list, built or not, the templates among them. Raises UserError where there is no list."""
    return _listing().programs


def left_out() -> tuple[LeftOut, ...]:
    """Leaves and tools that the build folder was configured without."""
    return _listing().left_out


def require_possible(name: str) -> None:
    """Raises UserError when the leaf or tool is left out here, with what it needs."""
    listing = build_folder() / "programs.json"
    absent = (
        next((one for one in _listing().left_out if one.name == name), None) if listing.is_file() else None
    )
    if absent:
        raise UserError(
            f"{name} is left out here",
            f"it needs {absent.needs}, which is not installed",
            "install it and start again",
            ENVIRONMENT,
        )


def tool(name: str) -> Path:
    """Path of a built program that is no leaf. Raises UserError when it was not built."""
    path = next((build_folder() / one.path for one in _listing().tools if one.name == name), None)
    if path is None:
        require_possible(name)
        raise UserError(
            f"hakaru's tool '{name}' is not built",
            "the list of built programs does not have it",
            "start through ./hakaru, which builds it",
            ENVIRONMENT,
        )
    require_built(path, name)
    return path


def require_built(path: Path, name: str) -> None:
    if not path.is_file():
        raise UserError(
            f"{name} is not built",
            "a command builds what its words name",
            f"build it with: ninja -C {build_folder()} {name}",
            ENVIRONMENT,
        )


def _listing() -> _Listing:
    listing = build_folder() / "programs.json"
    try:
        return msgspec.json.decode(listing.read_bytes(), type=_Listing)
    except FileNotFoundError:
        raise UserError(
            "hakaru's programs are not built",
            f"{listing} is missing",
            "start through ./hakaru, which builds them",
            ENVIRONMENT,
        ) from None
    except ValueError as error:
        raise UserError(
            f"{listing} cannot be read", str(error), "delete the build folder and run again", ENVIRONMENT
        ) from None
