"""A forecast's question asked of smaller sizes, too: the measured ones of its layout, and some between the largest of them and the wanted one."""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Forecast
from hakaru.facts.forecasts.forecast import CurvePoint, FittedPoint
from hakaru.facts.work import Parameters, Scalar
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.forecast.nearby import round_size, taken

MOST = 6  # measured sizes
BETWEEN = 3


def with_curve(made: Forecast, question: Question) -> Forecast:
    """The answer to this question with its curve; as it is where it is refused, or where no smaller size can be asked."""
    if made.refused:
        return made
    points = {point.size: point for one in _asked(made, question) if (point := _point(made, question, one))}
    curve = tuple(points[size] for size in sorted(points) if size < made.size)
    return msgspec.structs.replace(made, curve=curve) if curve else made


def _asked(made: Forecast, question: Question) -> Iterator[Parameters]:
    measured = _measured(made)
    names = [name for name in made.parameters if _sets_size(name, made, question, measured)]
    for one in measured:
        yield made.parameters | {name: _value(one, name, made) for name in names}
    if measured and names:
        yield from _between(made, question, measured[-1], names)


def _measured(made: Forecast) -> list[FittedPoint]:
    """Smallest first; where there are many, some from end to end."""
    own = made.own_points
    return [own[int(index)] for index in np.unique(np.linspace(0, len(own) - 1, MOST).round())] if own else []


def _sets_size(name: str, made: Forecast, question: Question, measured: Sequence[FittedPoint]) -> bool:
    """Whether runs differ in it, and the size with it."""
    values = {_value(one, name, made) for one in measured} - {made.parameters[name]}
    return any(_size(question, made, made.parameters | {name: value}) != made.size for value in values)


def _value(one: FittedPoint, name: str, made: Forecast) -> Scalar:
    """Of a parameter; runs of older programs did not say all."""
    return one.parameters.get(name, made.parameters[name])


def _size(question: Question, made: Forecast, parameters: Parameters) -> float | None:
    """None where the program does not take them."""
    try:
        work = question.found.work(dict(parameters), made.layout.ranks, made.layout.threads)
    except UserError:
        return None
    return None if work.refused else work.size


def _between(
    made: Forecast, question: Question, largest: FittedPoint, names: Sequence[str]
) -> Iterator[Parameters]:
    """Where the parameters that set the size are whole numbers: evenly apart on a logarithmic axis."""
    ends = [(_value(largest, name, made), made.parameters[name]) for name in names]
    if not all(type(end) is int and end > 0 for pair in ends for end in pair):
        return

    def takes(sizes) -> bool:
        size = _size(question, made, made.parameters | sizes)
        return size is not None and largest.size < size < made.size

    for part in np.linspace(0.0, 1.0, BETWEEN + 2)[1:-1]:
        wanted = {
            name: int(round_size(low ** (1.0 - part) * high**part))
            for name, (low, high) in zip(names, ends, strict=True)
        }
        if sizes := taken(wanted, takes):
            yield made.parameters | sizes


def _point(made: Forecast, question: Question, parameters: Parameters) -> CurvePoint | None:
    try:
        one = question.forecast(parameters, made.layout.ranks)
    except UserError:
        return None
    if one.refused or one.usual_s is msgspec.UNSET:
        return None
    return CurvePoint(size=one.size, usual_s=one.usual_s, time_s=one.time_s)
