"""The answer to one replay, as a plain dictionary (schema/replay.schema.json), and POP's efficiencies from it.

Definitions: Performance Optimisation and Productivity Centre of Excellence, "POP Standard Metrics for Parallel Performance Analysis"
(https://pop-coe.eu/node/69). With C_r the computing time of rank r, T the runtime and T_0 the runtime when messages cost nothing:

    load balance  = mean_r C_r / max_r C_r        transfer      = T_0 / T
    serialisation = max_r C_r / T_0               communication = serialisation x transfer = max_r C_r / T
    parallel      = load balance x communication
"""

from typing import TYPE_CHECKING, Any

from hakaru.facts.machines import Machine
from hakaru.facts.records import new_id
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.replay.copies import SELF
from hakaru.foretell.replay.document import Totals
from hakaru.foretell.replay.placement import shared_node

if TYPE_CHECKING:
    from hakaru.foretell.replay.question import Documents
    from hakaru.foretell.replay.source import Source

SCHEMA = "hakaru/replay/1"


def outcome(totals: Totals, source: "Source", machine: Machine, asked: "Documents") -> dict[str, Any]:
    """Time, breakdown (mean over ranks, adds up to the time), messages, phases, and what it rests on."""
    placed, told = asked.plan.placement, asked.plan.told
    attention = shared_node(machine, placed, totals.ranks)
    return {
        "schema": SCHEMA,
        "kind": "replay",
        "id": new_id("replay"),
        "created": now_text(),
        "input": source.as_dict() | {"ranks": totals.ranks},
        "machine": machine.name,
        "network": asked.plan.model,
        "placement": {
            "ranks_per_node": placed.ranks_per_node,
            "nodes": placed.nodes(totals.ranks),
            "threads": placed.threads,
            "levels": [level for level in asked.network["levels"] if level != SELF],
            **({"attention": attention} if attention else {}),
        },
        "compute": asked.compute.as_dict(),
        "noise": asked.options.get("noise"),
        "collectives": {"decision": asked.options["decision"], **asked.network.get("collectives", {})},
        "time_s": totals.makespan_s,
        "breakdown_s": totals.breakdown_s,
        "messages": totals.messages,
        "bytes": totals.bytes,
        "phases": totals.phases,
        "critical_path_s": totals.critical_path_s,
        "engine": totals.engine,
        "efficiency": None,
        "facts": told.facts,
        "assumed": told.assumed,
        "set": [],
        "forecast": None,
    }


def efficiency(totals: Totals, ideal_s: float) -> dict[str, float | None]:
    """POP's factors; None where a time is zero."""

    def ratio(part: float, whole: float) -> float | None:
        return part / whole if whole > 0.0 else None

    factors = {
        "load_balance": ratio(totals.compute_mean_s, totals.compute_max_s),
        "serialisation": ratio(totals.compute_max_s, ideal_s),
        "transfer": ratio(ideal_s, totals.makespan_s),
        "communication": ratio(totals.compute_max_s, totals.makespan_s),
        "parallel": ratio(totals.compute_mean_s, totals.makespan_s),
    }
    return factors | {"ideal_time_s": ideal_s}
