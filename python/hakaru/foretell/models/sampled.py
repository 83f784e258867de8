"""Time of a run whose size ran before on its layout, with as many steps or fewer: what its launches took, and no law of sizes.

With m the pseudo-median of L launches (models.usually), that of later ones is foretold by

    m (1 + d_L) (1 + d_9) (1 + s t)

where d_L and d_9 are pseudo-medians of L and of nine smoothed deviations of launches from m, and s t is models.drift.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from hakaru.foretell.models import drift, joint, noise
from hakaru.foretell.models.calm import SEVERAL
from hakaru.foretell.models.observations import Observation, Point
from hakaru.foretell.models.prediction import LEVELS, Estimate, PhasePrediction, Prediction, ends
from hakaru.foretell.models.usually import usually

ENOUGH = 5  # launches
MODEL, REASON = "as in the sample", "its own launches tell it, and no other size is asked"


def sample_of(observations: Sequence[Observation], target: Point) -> Observation | None:
    """The launches of the wanted size and layout, where there are enough to rest on."""
    return next((one for one in observations if one.point.is_at(target) and len(one.walls()) >= ENOUGH), None)


def predict(sample: Observation, kinds: Mapping[str, str]) -> Prediction:
    """From the launches of the wanted size and layout alone."""
    generator = np.random.default_rng(joint.SEED)
    value_s = float(usually(sample.totals()))
    walls_s = np.array(sample.walls())
    moved = drift.draws(sample.span_s, sample.point.cores, joint.DRAWS, generator)
    usual_s = _usually(np.array(sample.totals()), moved, generator)
    of_one = noise.of_one_launch(walls_s / np.median(walls_s) - 1.0, joint.DRAWS, generator)
    one_s = usual_s * of_one * np.median(walls_s) / value_s
    return Prediction(
        Estimate.containing(value_s, *ends(usual_s)),
        Estimate.containing(value_s, *ends(one_s)),
        _phases(sample, kinds, value_s, moved, generator),
        tuple((level, *ends(usual_s, level)) for level in LEVELS),
    )


def _usually(times_s: np.ndarray, moved: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draws (n,) of the pseudo-median of later launches."""
    middle = float(usually(times_s))
    if middle <= 0.0:
        return np.zeros(joint.DRAWS)
    own = _middles(times_s / middle - 1.0, len(times_s), generator)
    later = _middles(times_s / middle - 1.0, SEVERAL, generator)
    return middle * own * later * moved


def _middles(deviations: np.ndarray, launches: int, generator: np.random.Generator) -> np.ndarray:
    """Draws (n,) of the pseudo-median of so many launches, relative to their middle."""
    drawn = noise.of_one_launch(deviations, launches * joint.DRAWS, generator)
    return usually(drawn.reshape(joint.DRAWS, launches))


def _phases(
    sample: Observation,
    kinds: Mapping[str, str],
    run_s: float,
    moved: np.ndarray,
    generator: np.random.Generator,
) -> tuple[PhasePrediction, ...]:
    """Pseudo-medians of the phases, brought to the sum that the launches have."""
    middles = {phase: float(usually(sample.values(phase))) for phase in kinds}
    scale = run_s / sum(middles.values()) if any(middles.values()) else 1.0
    return tuple(
        _phase(phase, kind, scale * np.array(sample.values(phase)), moved, generator)
        for phase, kind in kinds.items()
    )


def _phase(
    phase: str, kind: str, times_s: np.ndarray, moved: np.ndarray, generator: np.random.Generator
) -> PhasePrediction:
    value_s = float(usually(times_s))
    time_s = Estimate.containing(value_s, *ends(_usually(times_s, moved, generator)))
    return PhasePrediction(phase, kind, time_s, MODEL, f"{value_s:.3g}", REASON, (), 0.0)
