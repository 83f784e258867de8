"""Axes and values of facts, for charts of sweeps."""

from hakaru.base import units
from hakaru.foretell.replay.documents.answer import Axis
from hakaru.tell import figure


def shown_value(axis: Axis, value: float) -> str:
    """A value of the swept fact for people."""
    return units.tick(units.shown(value, axis.unit))


def fact_axis(axes, axis, spec: Axis) -> None:
    """Scale and ticks of a swept fact: logarithmic or linear, in its unit."""
    if spec.logarithmic:
        axes.set_xscale("log")
        figure.log_ticks(axis)
    if spec.unit == "s":
        figure.time_axis(axis)
    elif spec.unit in ("1", ""):
        figure.number_axis(axis)
    else:
        figure.quantity_axis(axis, spec.unit)
