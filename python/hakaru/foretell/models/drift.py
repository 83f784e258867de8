"""How far what runs usually take moves between the time of the launches that tell it and another hour: relative, Student's t times

    s^2 = drift^2 + states^2 T / (T + span)

A machine is not the same an hour later, even where its launches of a minute agree; and launches within the time T that a state of the
machine lasts tell that state.
"""

import math

import numpy as np

DRIFT, FREEDOM = 0.03, 5
# Of launches on a virtual machine that are more than 20 s apart, half differ by 3 % on one core and by 6 % on two (medians over programs).
ALONE, TOGETHER, LASTS_S = 0.03, 0.06, 20.0


def size(span_s: float, cores: int) -> float:
    """s of launches over ``span_s`` on so many cores."""
    states = ALONE if cores == 1 else TOGETHER
    return math.hypot(DRIFT, states * math.sqrt(LASTS_S / (LASTS_S + span_s)))


def draws(span_s: float, cores: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """Draws (count,) of another hour's usual time over that of the launches."""
    return np.maximum(1.0 + size(span_s, cores) * generator.standard_t(FREEDOM, count), 0.1)
