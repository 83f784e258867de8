"""Arithmetic that people write in files: ``8 * n^3``, ``ranks % 2 == 0``; numbers, names and a few functions, nothing else.

``^`` and ``**`` are powers. Evaluated by simpleeval, which knows no attributes, no subscripts and no calls but these.
"""

import ast
import math
import threading
from collections.abc import Mapping
from typing import Any

from hakaru.base.errors import UserError

FUNCTIONS = {
    "abs": abs,
    "min": min,
    "max": max,
    "round": round,
    "sqrt": math.sqrt,
    "cbrt": math.cbrt,
    "log2": math.log2,
    "log": math.log,
    "floor": math.floor,
    "ceil": math.ceil,
}
GRAMMAR = f"write arithmetic of numbers and parameters with {', '.join(FUNCTIONS)}, such as 8 * n^3"
LONGEST = 500
_kept = threading.local()


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of ``text`` with these names. Raises UserError for what is no arithmetic, for unknown names and for what has no value."""
    import simpleeval

    if len(text) > LONGEST:
        raise UserError(f"'{text[:40]}...' is too long", f"{LONGEST} characters are the most", GRAMMAR)
    try:
        found = _evaluator(values).eval(_powers(text))
    except simpleeval.NameNotDefined as error:
        known = ", ".join(sorted(values)) or "none"
        raise UserError(f"'{text}' names {error.name}", f"known are: {known}", GRAMMAR) from None
    except (simpleeval.InvalidExpression, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise UserError(f"'{text}' has no value", str(error) or type(error).__name__, GRAMMAR) from None
    if isinstance(found, complex | str) or (isinstance(found, float) and not math.isfinite(found)):
        raise UserError(f"'{text}' has no value", f"it gives {found!r}", GRAMMAR)
    return found


def _evaluator(values: Mapping[str, Any]):
    """Of this thread, with these names. It is kept, because it has a finaliser, and Python ignores a Ctrl-C that arrives in one."""
    import simpleeval

    if not hasattr(_kept, "evaluator"):
        _kept.evaluator = simpleeval.SimpleEval(functions=FUNCTIONS)
    _kept.evaluator.names = dict(values)
    return _kept.evaluator


def number(text: str, values: Mapping[str, Any]) -> float:
    """As ``evaluate``; raises UserError when it is true or false."""
    found = evaluate(text, values)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise UserError(f"'{text}' is no number", f"it gives {found!r}", GRAMMAR)
    return float(found)


def names_in(text: str) -> set[str]:
    """Names that ``text`` needs. Raises UserError for what is no arithmetic."""
    try:
        tree = ast.parse(_powers(text), mode="eval")
    except (SyntaxError, ValueError):
        raise UserError(f"'{text}' is not understood", "it is no arithmetic", GRAMMAR) from None
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(FUNCTIONS)


def _powers(text: str) -> str:
    return text.strip().replace("^", "**")
