"""Where in a program something is, in words."""

from collections.abc import Sequence

from hakaru.base.errors import UserError
from hakaru.foretell.extrapolate.refusals import Refused
from hakaru.foretell.extrapolate.template import Node


def place(node: Node, nodes: Sequence[Node]) -> str:
    """An operation by its number among those of its loop, and the phase and the loops around it."""
    found = _path(node, nodes)
    return " in ".join(reversed(found)) if found else _what(node)


def _path(node: Node, nodes: Sequence[Node]) -> list[str]:
    phases: list[str] = []
    for number, one in enumerate(nodes, 1):
        if one.key[0] == "begin":
            phases.append(str(one.key[1]))
        if one is node:
            inside = [f"phase '{phases[-1]}'"] if phases else []
            return [*inside, f"operation {number} ({_what(one)})"]
        if one.children and (found := _path(node, one.children)):
            return [f"{_what(one)} (operation {number})", *found]
        if one.key[0] == "end" and phases:
            phases.pop()
    return []


def _what(node: Node) -> str:
    if node.key[0] == "repeat":
        return "a loop"
    if node.key[0] == "stretch":
        return "a loop over ranks"
    return f"{node.key[0]} {node.key[1]}" if node.key[0] in ("begin", "end", "wait") else str(node.key[0])


def refusal(refused: Refused, nodes: Sequence[Node], names: Sequence[str]) -> UserError:
    """What a person is told."""
    node = refused.node
    where = place(node, nodes) if isinstance(node, Node) else "the program"
    seen = ""
    if isinstance(node, Node) and node.seen:
        run, rank, *_ = next(iter(sorted(node.seen)))
        seen = f"; first at rank {rank} of {names[run]}"
    return UserError(
        f"{where} cannot be extrapolated",
        f"{refused.why}{seen}",
        "trace more numbers of ranks, or ranks and sizes between which the program does not change its pattern",
    )
