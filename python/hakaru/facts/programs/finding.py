"""The programs there are: of every kind, which is every file of this folder with ``programs()``."""

import difflib
import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from typing import Literal

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.facts.programs.program import Program

PACKAGE = __name__.rpartition(".")[0]


def known(kind: Literal["app", "probe", "command"] | None = None, templates: bool = False) -> list[Program]:
    """Programs that can be built, apps first, in alphabetical order; the templates only when asked for."""
    found = [one for one in _all() if kind in (None, one.kind) and (templates or not one.is_template)]
    return sorted(found, key=lambda one: (one.kind, one.name))


def named(name: str) -> Program:
    """The program of that name, ready to be started. Raises UserError naming the known ones, or when it was not built."""
    found = listed(name)
    found.require_ready()
    return found


def listed(name: str) -> Program:
    """The program of that name, ready or not. Raises UserError naming the known ones."""
    for one in _each():
        if one.name == name:
            return one
    native.require_possible(name)
    names = [one.name for one in known()]
    near = difflib.get_close_matches(name, names, 1)
    raise UserError(
        f"there is no program '{name}'",
        f"known are: {', '.join(names)}",
        f"did you mean {near[0]}?"
        if near
        else "choose one of them; hakaru measure takes any command of yours",
    )


def _all() -> list[Program]:
    return list(_each())


def _each() -> Iterator[Program]:
    """Kind by kind, so that a program of the first kinds is found where others are not built."""
    for programs_of_kind in _kinds(tuple(sys.modules[PACKAGE].__path__)):
        yield from programs_of_kind()


@functools.cache
def _kinds(folders: tuple[str, ...]) -> tuple[Callable[[], list[Program]], ...]:
    modules = [
        importlib.import_module(f"{PACKAGE}.{entry.name}")
        for entry in pkgutil.iter_modules(folders)
        if not entry.name.startswith("test_")
    ]
    return tuple(module.programs for module in modules if hasattr(module, "programs"))
