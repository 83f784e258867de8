"""What ``hakaru predict --on MACHINE`` and ``hakaru machines --rank`` say."""

from typing import Any

from hakaru.base import units
from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.facts.machines.missing import missing
from hakaru.foretell.elsewhere import held
from hakaru.foretell.elsewhere.foretold import Asked, Elsewhere, foretell
from hakaru.foretell.elsewhere.ranking import Ranking, fitting
from hakaru.tell.replays import display

MOST_LEFT_OUT = 6


def predict(asked: Asked, machine: Machine, as_json: bool) -> None:
    """Raises UserError as ``foretell`` does."""
    found = foretell(fitting(asked, machine), machine)
    if as_json:
        print_json(
            as_dict(found) | {"missing": [one.name for one in missing(machine)], "interval": held.why()}
        )
        return
    print(f"{asked.program} on {_where(found)}: {units.seconds_interval(found.time_s)} for one repetition")
    ideal = "computing and waiting for the slowest"
    print(f"  {ideal}: {units.seconds(found.computing_s)}; messages: {units.seconds(found.messages_s)}")
    print(f"  {_cost(found)}")
    if asked.ranks is None and (most := asked.ranks_on(machine)) > found.answer.input.ranks:
        print(f"  {most} ranks would fill the nodes, which {asked.program} does not take")
    print(f"  computing: {found.answer.compute.text}; here {found.calibrated}")
    print(f"  {held.why()}")
    display.print_basis(found.answer)
    for one in missing(machine):
        print(f"not said by {machine.name}: {one.name}; {one.without}")


def as_dict(found: Elsewhere) -> dict[str, Any]:
    answer = found.answer
    return {
        "machine": answer.machine,
        "program": answer.input.program,
        "parameters": answer.input.parameters,
        "nodes": found.nodes,
        "ranks": answer.input.ranks,
        "threads": answer.input.threads,
        "time_s": _span(found.time_s),
        "computing_s": found.computing_s,
        "messages_s": found.messages_s,
        "node_hours": _span(found.node_hours),
        "energy_j": _span(found.energy.joules) if found.energy else None,
        "calibrated": found.calibrated,
        "assumed": list(answer.assumed),
    }


def ranking(asked: Asked, found: Ranking, as_json: bool) -> None:
    if as_json:
        rows = [as_dict(one.found) | {"name": one.name} for one in found.ranked]
        print_json(
            {"ranked": rows, "left_out": found.left_out, "unsure": found.unsure, "interval": held.why()}
        )
        return
    rows = [
        [
            one.name,
            str(one.found.nodes),
            str(one.found.answer.input.ranks),
            units.seconds(one.found.time_s.value),
            f"{units.seconds(one.found.time_s.low)} to {units.seconds(one.found.time_s.high)}",
            f"{one.found.node_hours.value:.3g}",
            _joules(one.found),
        ]
        for one in found.ranked
    ]
    columns = ["machine", "nodes", "ranks", "one repetition", "interval", "node-hours", "energy"]
    print_table(f"Machines for {asked.program}, the fastest first", columns, rows)
    if found.unsure:
        print(
            f"The intervals of {', '.join(found.unsure)} reach into that of {found.ranked[0].name}: their order is not sure."
        )
    print(f"{held.why()[0].upper()}{held.why()[1:]}.")
    for name, why in list(found.left_out.items())[:MOST_LEFT_OUT]:
        print(f"not ranked: {name}: {why}")
    if len(found.left_out) > MOST_LEFT_OUT:
        rest = list(found.left_out)[MOST_LEFT_OUT:]
        print(f"not ranked either: {', '.join(rest)} (--json says why)")


def _where(found: Elsewhere) -> str:
    answer = found.answer
    nodes = units.count(found.nodes, "node")
    return f"{answer.machine}, {nodes}, {answer.input.ranks} ranks x {answer.input.threads} threads"


def _cost(found: Elsewhere) -> str:
    hours = f"{found.node_hours.value:.3g} node-hours"
    if found.energy is None:
        return f"{hours}; energy is not known (no fact of the power of a node)"
    return f"{hours}; {_joules(found)} by {found.energy.fact}"


def _joules(found: Elsewhere) -> str:
    return units.shown(found.energy.joules.value, "J") if found.energy else ""


def _span(span: Span) -> dict[str, float]:
    return {"value": span.value, "low": span.low, "high": span.high}
