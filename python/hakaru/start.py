"""The ``hakaru`` command: builds the programs when the command needs them, then runs the command line."""

import importlib
import sys
from pathlib import Path

from hakaru.base.errors import UserError


def command_of(arguments: list[str]) -> str | None:
    """The command that the arguments name: the first that is not an option."""
    return next((argument for argument in arguments if not argument.startswith("-")), None)


def needs_programs(arguments: list[str]) -> bool:
    """False for help and for commands whose module in ``hakaru/cli/`` says ``needs_programs = False``."""
    before_the_users_own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    command = command_of(before_the_users_own)
    if command is None or {"--help", "-h"} & set(before_the_users_own):
        return False
    module = command.replace("-", "_")
    if not module.isidentifier() or not (Path(__file__).parent / "cli" / f"{module}.py").is_file():
        return False
    return getattr(importlib.import_module(f"hakaru.cli.{module}"), "needs_programs", True)


def main() -> None:
    arguments = sys.argv[1:]
    try:
        if needs_programs(arguments):
            from hakaru.own.setup.build import ensure_built

            ensure_built()
    except UserError as error:
        print(f"hakaru: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("hakaru: interrupted; the next start goes on from here", file=sys.stderr)
        sys.exit(130)
    from hakaru.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
