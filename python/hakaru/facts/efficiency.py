"""POP's efficiencies as fractions, None where the time below the line is zero.

Definitions: Performance Optimisation and Productivity Centre of Excellence, "POP Standard Metrics for Parallel Performance Analysis"
(https://pop-coe.eu/node/69). With C_r the computing time of rank r, T the runtime and T_0 the runtime when messages cost nothing:

    load balance  = mean_r C_r / max_r C_r        transfer      = T_0 / T
    serialisation = max_r C_r / T_0               communication = serialisation x transfer = max_r C_r / T
    parallel      = load balance x communication = mean_r C_r / T

``native/trace/summary`` has load balance and communication of a trace in C++, where they fall out of reading it once.
"""


def load_balance(mean_s: float, longest_s: float) -> float | None:
    return _ratio(mean_s, longest_s)


def serialisation(longest_s: float, ideal_s: float) -> float | None:
    return _ratio(longest_s, ideal_s)


def transfer(ideal_s: float, time_s: float) -> float | None:
    return _ratio(ideal_s, time_s)


def communication(longest_s: float, time_s: float) -> float | None:
    return _ratio(longest_s, time_s)


def parallel(mean_s: float, time_s: float) -> float | None:
    return _ratio(mean_s, time_s)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0.0 else None
