"""Where in a program something is, in words."""

from collections.abc import Iterator, Sequence

from hakaru.base.errors import UserError
from hakaru.foretell.extrapolate.refusals import Refused
from hakaru.foretell.extrapolate.template import Node


def places(nodes: Sequence[Node]) -> dict[Node, str]:
    """Each operation by its number among those of its loop, and the phase and the loops around it."""
    return {node: " in ".join(reversed(path)) for node, path in _paths(nodes, [])}


def _paths(nodes: Sequence[Node], around: list[str]) -> Iterator[tuple[Node, list[str]]]:
    phases: list[str] = []
    for number, one in enumerate(nodes, 1):
        if one.key[0] == "begin":
            phases.append(str(one.key[1]))
        inside = [f"phase '{phases[-1]}'"] if phases else []
        yield one, [*around, *inside, f"operation {number} ({_what(one)})"]
        yield from _paths(one.children, [*around, f"{_what(one)} (operation {number})"])
        if one.key[0] == "end" and phases:
            phases.pop()


def _what(node: Node) -> str:
    if node.key[0] == "repeat":
        return "a loop"
    if node.key[0] == "stretch":
        return "a loop over ranks"
    return f"{node.key[0]} {node.key[1]}" if node.key[0] in ("begin", "end", "wait") else str(node.key[0])


def refusal(refused: Refused, nodes: Sequence[Node], names: Sequence[str]) -> UserError:
    """What a person is told."""
    node = refused.node
    where = places(nodes).get(node, _what(node)) if isinstance(node, Node) else "the program"
    seen = ""
    if isinstance(node, Node) and node.seen:
        run, rank, *_ = next(iter(sorted(node.seen)))
        seen = f"; first at rank {rank} of {names[run]}"
    return UserError(
        f"{where} cannot be extrapolated",
        f"{refused.why}{seen}",
        "trace more numbers of ranks, or ranks and sizes between which the program does not change its pattern",
    )
