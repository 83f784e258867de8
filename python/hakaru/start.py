"""The ``hakaru`` command: runs the command line, which builds the programs that a command needs once its words are understood."""

import contextlib
import importlib
import sys
from collections.abc import Iterator

from hakaru.base.errors import UserError
from hakaru.base.output import INTERRUPTED, AlreadyTold
from hakaru.own import setup
from hakaru.own.setup.targets import PROGRAMS, command_file, command_of


def parts_of(arguments: list[str]) -> tuple[str, ...]:
    """Parts of the Python environment that the arguments' command imports beside the common one, as its module says in ``parts``."""
    path = command_file(arguments)
    return getattr(importlib.import_module(f"hakaru.cli.{path.stem}"), "parts", ()) if path else ()


def targets_of(arguments: list[str]) -> list[str] | None:
    """What the arguments' command needs built; None when it needs no program at all, as help.

    The module in ``hakaru/cli/`` says it in ``targets``: names, ``()`` for no program, or a function that gives names (or None)
    for the words after the command. A module that says nothing gets every program.
    """
    path = command_file(arguments)
    if path is None:
        return None
    targets = getattr(importlib.import_module(f"hakaru.cli.{path.stem}"), "targets", (PROGRAMS,))
    if callable(targets):
        found = targets(arguments[arguments.index(command_of(arguments)) + 1 :])
        return None if found is None else list(found)
    return list(targets) or None


def main() -> None:
    arguments = sys.argv[1:]
    setup.launched = True
    with stopped():
        if parts := parts_of(arguments):
            from hakaru.own.setup.environment import ensure_parts

            ensure_parts(parts)
    from hakaru.cli import main as command_line

    command_line(prepare=lambda: build(arguments))


def build(arguments: list[str]) -> None:
    with stopped():
        targets = targets_of(arguments)
        if targets is not None:
            from hakaru.own.setup.build import ensure_built

            ensure_built(targets)


@contextlib.contextmanager
def stopped() -> Iterator[None]:
    """What ends a start ends the command."""
    try:
        yield
    except UserError as error:
        print(f"hakaru: {error}", file=sys.stderr)
        raise AlreadyTold(error.exit_code) from None
    except KeyboardInterrupt:
        print("hakaru: interrupted; the next start goes on from here", file=sys.stderr)
        raise AlreadyTold(INTERRUPTED) from None


if __name__ == "__main__":
    main()
