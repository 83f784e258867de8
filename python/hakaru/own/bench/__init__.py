"""hakaru's own performance: interleaved comparisons, kept apart from the tests."""

from hakaru.own.bench.interleaving import Interleaved, interleave, row
from hakaru.own.bench.launches import on_one_core, samples
from hakaru.own.bench.runner import find_benches, run_benches

__all__ = ["Interleaved", "find_benches", "interleave", "on_one_core", "row", "run_benches", "samples"]
