"""The command line: one file of this folder for each command, each with ``register(app)``."""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer
import typer.core

from hakaru.base.errors import UserError
from hakaru.base.output import INTERRUPTED, AlreadyTold
from hakaru.own.setup.targets import command_file, option

root = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="How long a simulation will take, here, for a bigger problem, on another machine, and why.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from hakaru import __version__

        print(f"hakaru {__version__}")
        raise typer.Exit


@root.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def register_commands(wanted: Sequence[str] = ()) -> None:
    """Every file of this folder adds its command; where the command is known, its file is enough."""
    found = sorted(entry.name for entry in pkgutil.iter_modules(__path__))
    for name in wanted or [name for name in found if not name.startswith("test_")]:
        importlib.import_module(f"{__name__}.{name}").register(root)


def _remember_results(arguments: list[str]) -> None:
    """Programs are found in the results folder by everybody who asks for one by name."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if folder := option(own, "--results"):
        os.environ["HAKARU_RESULTS"] = folder


def _prepared(of: typer.core.TyperGroup, prepare: Callable[[], None]) -> None:
    """Every command calls ``prepare`` once its words are understood: what is mistyped waits for nothing."""

    def prepares(understand: Callable[..., typer.Context]) -> Callable[..., typer.Context]:
        def understood(*words: Any, **extra: Any) -> typer.Context:
            context = understand(*words, **extra)
            prepare()
            return context

        return understood

    for one in of.commands.values():
        one.make_context = prepares(one.make_context)


def main(prepare: Callable[[], None] = lambda: None) -> None:
    """Entry point: runs a command; errors for people become one line and an exit code."""
    named = command_file(sys.argv[1:])
    register_commands([named.stem] if named else [])
    for stream in (sys.stdout, sys.stderr):  # file names need not be text
        stream.reconfigure(errors="backslashreplace")
    _remember_results(sys.argv[1:])
    commands = typer.main.get_command(root)
    _prepared(commands, prepare)
    try:
        commands(prog_name="hakaru")
    except UserError as error:
        print(f"hakaru: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as stop:
        if stop.code == INTERRUPTED and not isinstance(stop, AlreadyTold):
            print(
                "\nhakaru: stopped; everything that had finished is kept, the same command goes on from there",
                file=sys.stderr,
            )
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
