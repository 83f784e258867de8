"""What goes into the replay engine and what comes out, as types (docs/reference/replay-engine.md), and the answer that people get."""

from hakaru.foretell.replay.documents.answer import Answer, Sensitivity, Sweep
from hakaru.foretell.replay.documents.network import Level, Network
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.documents.result import Check, Result

__all__ = ["Answer", "Check", "Level", "Network", "Options", "Result", "Sensitivity", "Sweep"]
