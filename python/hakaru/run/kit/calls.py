"""The tracer's table of calls as lines that awk reads (native/trace/preload/generate.awk): there is no Python where a kit is built."""

import tomllib

from hakaru.base.files import load_module
from hakaru.base.paths import root

LINE = "@LINE@"  # a line break inside a field


def calls_text() -> str:
    """``local PATTERN`` and ``call NAME GROUP OPERATION PARAMETERS WRAPPER``, fields between tabs; the wrapper of calls that are written by
    hand is empty. Names and parameters come from mpi.h there: ``@NAME@``, ``@PARAMETERS@``."""
    preload = root() / "native" / "trace" / "preload"
    generate = load_module(preload / "generate.py")
    table = tomllib.loads((preload / "calls.toml").read_text())
    rows = [["local", pattern] for pattern in table["local"]["names"]]
    for name, call in sorted(generate.table_calls(table).items()):
        by_hand = call.group == "environment"
        wrapper = "" if by_hand else generate.wrapper_text("@NAME@", call, "@PARAMETERS@")
        group = str(generate.GROUPS.index(call.group))
        rows.append(["call", name, group, str(call.operation), ", ".join(call.parameters), wrapper])
    return "".join("\t".join(field.replace("\n", LINE) for field in row) + "\n" for row in rows)
