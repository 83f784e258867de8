"""The power of a node that runs a mix's programs, by the meters of their runs here."""

from pathlib import Path

from hakaru.facts.forecasts import Span
from hakaru.facts.records import RecordStore
from hakaru.foretell.energy.measured import Watts, watts
from hakaru.foretell.mix.file import MixFile
from hakaru.foretell.mix.power import OFF, NodePower


def node_power(mix: MixFile, results: Path) -> NodePower | str:
    """Of all runs of its programs on one node, each layout as it was run; or why it is not known."""
    programs = dict.fromkeys(one.program for one in mix.jobs if one.program)
    if not programs:
        return "neither the mix nor a machine says what a node takes, and it names no program whose runs had meters"
    store = RecordStore(results)
    found = watts([one for name in programs for one in store.all(program=name) if one.nodes == 1], None)
    if not isinstance(found, Watts):
        return f"neither the mix nor a machine says what a node takes; runs: {found}"
    amount = found.amount
    busy = Span(value=amount.value, low=amount.low, high=amount.high)
    return NodePower(busy, Span(value=0.0, low=0.0, high=0.0), f"{found.source} (of the {found.scope}){OFF}")
