"""What commands share in speaking: JSON for machines, and how a command ends."""

import json
import sys
from typing import Any

INTERRUPTED = 130  # typer's exit code after Ctrl-C


class AlreadyTold(SystemExit):
    """The end of a command that has said itself why it ends."""


def print_json(data: Any) -> None:
    """Machine-readable output of a command."""
    print(json.dumps(data, allow_nan=False, default=str))


def note(text: str) -> None:
    """One line beside the answer, on standard error."""
    print(f"hakaru: {text}", file=sys.stderr, flush=True)
