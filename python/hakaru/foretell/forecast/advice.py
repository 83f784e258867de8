"""What to do after a forecast, in one sentence."""

import math

from hakaru.facts.forecasts import Forecast
from hakaru.foretell.forecast.nearby import round_size


def next_step(forecast: Forecast) -> str:
    """The next step that would help most: more sizes, runs with empty caches, a size in between, the layout itself, or the run that scores
    the forecast."""
    flag = forecast.extrapolation.flag
    points = forecast.fitted_on.points
    sizes = sorted({point.size for point in points if point.size})
    layout = (forecast.layout.ranks, forecast.layout.threads)
    if flag == "refused":
        if "memory" in forecast.extrapolation.reason:
            return "use a smaller size or a machine with more memory"
        if not sizes:
            return "run the program first at three sizes or more, five launches each"
        return 'run at least three sizes nearer to the wanted one, or state the growth with --growth "N^3"'
    if "(--cold)" in forecast.extrapolation.reason:
        return (
            "predict again with --cold: the sizes that ran, with empty caches, tell what leaving them costs"
        )
    if forecast.growth is None and not any((point.ranks, point.threads) == layout for point in points):
        return f"run three small sizes on {layout[0]} ranks x {layout[1]} threads"
    if flag == "far" and forecast.size > sizes[-1]:
        between = round_size(math.sqrt(sizes[-1] * forecast.size))
        if sizes[-1] < between < forecast.size:
            return f"run a size in between, near N = {between:g}, and predict again"
    return "make this run; hakaru predict --track-record then scores the forecast"
