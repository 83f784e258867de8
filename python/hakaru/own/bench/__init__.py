"""hakaru's own performance: interleaved comparisons, kept apart from the tests."""

from hakaru.own.bench.interleaving import Interleaved, interleave, row
from hakaru.own.bench.runner import find_benches, run_benches

__all__ = ["Interleaved", "find_benches", "interleave", "row", "run_benches"]
