"""A command that a person names (HAKARU_METER, ``--meter``, ``meter`` in site.toml): it prints a number with its unit, and what it covers.

``215 W``, ``81.3 kJ package``, ``1.2 kWh node``: joules count up, watts are read again and again. Without a scope it is the node.
"""

import os
import re
import shlex
from typing import get_args

from hakaru.base.errors import UserError
from hakaru.facts.records.power import COMMAND, Scope
from hakaru.run.power.meter import Found, Meter, Place, printed

VARIABLE = "HAKARU_METER"
ENERGY = {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "Wh": 3600.0, "kWh": 3.6e6}
POWER = {"mW": 1e-3, "W": 1.0, "kW": 1e3}
ANSWER = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*([A-Za-z]+)(?:\s+(\w+))?\s*\Z")
ENERGY_STEP_S, POWER_STEP_S = 0.1, 1.0
FORM = (
    "write a command that prints a number with W or J, such as 215 W, and node, package or memory behind it"
)


def find(place: Place) -> Found:
    line = place.variables.get(VARIABLE, "")
    if not line.strip():
        return Found(why_not="no command is named (--meter)", absent=True)
    try:
        words = shlex.split(line)
        value, unit, scope = answer(printed(words))
    except (OSError, ValueError) as error:
        return Found(why_not=f"the command '{line}' is no meter: {error}; {FORM}")
    energy = unit in ENERGY
    meter = Meter(
        scope,
        f"{COMMAND} {line}",
        "energy" if energy else "power",
        lambda: _again(words, energy),
        ENERGY_STEP_S if energy else POWER_STEP_S,
    )
    return Found((meter,))


def use(line: str | None) -> None:
    """Names the meter for this process and what it starts; None changes nothing. Raises UserError for a command that is none."""
    if line is None:
        return
    os.environ[VARIABLE] = line
    if not (found := find(Place())).meters:
        why, _, what_to_do = found.why_not.partition("; ")
        raise UserError("--meter names no meter", why, what_to_do)


def _again(words: list[str], energy: bool) -> float:
    value, unit, _ = answer(printed(words))
    if (unit in ENERGY) != energy:
        raise ValueError("it said joules once and watts then")
    return value


def answer(text: str) -> tuple[float, str, Scope]:
    """(value in J or W, its unit as printed, what it covers). Raises ValueError for anything else."""
    found = ANSWER.match(text)
    if not found:
        raise ValueError(f"it printed {text.strip()[:60]!r}")
    number, unit, scope = found.groups()
    if unit not in ENERGY | POWER:
        raise ValueError(f"it printed the unit {unit!r}, not W or J")
    if scope is not None and scope not in get_args(Scope):
        raise ValueError(f"it printed the scope {scope!r}, not one of {', '.join(get_args(Scope))}")
    return float(number) * (ENERGY | POWER)[unit], unit, scope or "node"
