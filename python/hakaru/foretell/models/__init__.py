"""Time of a program, phase by phase, as a function of problem size, ranks and threads.

``relevant`` picks records, ``predict`` fits and predicts (``predict_sampled`` where the size itself ran), ``judge`` says how far that reaches. A candidate
model is one file in ``candidates/``.
"""

from hakaru.facts.records.nearness import Usual
from hakaru.foretell.models.extrapolation import (
    LEAST_SIZES,
    Verdict,
    chosen_layout,
    judge,
    memory_level,
    refusal,
)
from hakaru.foretell.models.growth import Growth, parse
from hakaru.foretell.models.observations import Observation, Point, launch_phases, phase_kinds, point_of
from hakaru.foretell.models.prediction import CONFIDENCE, Estimate, PhasePrediction, Prediction, predict
from hakaru.foretell.models.relevance import Relevant, relevant, sound
from hakaru.foretell.models.sampled import predict as predict_sampled
from hakaru.foretell.models.sampled import sample_of

__all__ = [
    "CONFIDENCE",
    "LEAST_SIZES",
    "Estimate",
    "Growth",
    "Observation",
    "PhasePrediction",
    "Point",
    "Prediction",
    "Relevant",
    "Usual",
    "Verdict",
    "chosen_layout",
    "judge",
    "launch_phases",
    "memory_level",
    "parse",
    "phase_kinds",
    "point_of",
    "predict",
    "predict_sampled",
    "refusal",
    "relevant",
    "sample_of",
    "sound",
]
