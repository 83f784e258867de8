"""The tree of a machine file: tables in tables, down to facts and arrays of facts. Only this room knows its form."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Tree = dict[str, Any]


def is_fact(node: Any) -> bool:
    return isinstance(node, dict) and "value" in node


def walk(tree: Tree, path: str = "") -> Iterator[tuple[str, Tree]]:
    """(path, fact) of every fact in a tree; several facts of one array share a path and differ by their keys."""
    for name, node in tree.items():
        here = f"{path}.{name}" if path else name
        if is_fact(node):
            yield here, node
        elif isinstance(node, dict):
            yield from walk(node, here)
        elif isinstance(node, list):
            for entry in node:
                if is_fact(entry):
                    yield here, entry
                elif isinstance(entry, dict):
                    yield from walk(_parts(entry), f"{here}[{entry.get('name', '')}]")


def _parts(named: Tree) -> Tree:
    return {name: node for name, node in named.items() if isinstance(node, dict | list)}


def mapped(node: Any, function: Callable[[Tree], Tree]) -> Any:
    """A copy of the tree with each fact replaced by what the function makes of it."""
    if is_fact(node):
        return function(node)
    if isinstance(node, dict):
        return {name: mapped(child, function) for name, child in node.items()}
    return [mapped(child, function) for child in node] if isinstance(node, list) else node


def at(tree: Tree, names: Sequence[str]) -> Any:
    """What lies at a path, or None."""
    node: Any = tree
    for name in names:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def replaced(tree: Tree, names: Sequence[str], node: Any) -> Tree:
    """The tree with another node at a path, or without it (None); what lies beside it is shared."""
    first, *rest = names
    if rest:
        child = tree.get(first)
        node = replaced(child if isinstance(child, dict) else {}, rest, node)
    if node is None:
        return {name: child for name, child in tree.items() if name != first}
    return tree | {first: node}


def without(node: Any, names: Sequence[str]) -> Any:
    """The tree without what lies at a path as ``walk`` names it: ``memory.levels[L1].latency``."""
    if not isinstance(node, dict):
        return node
    name, *rest = names
    array, bracket, label = name.removesuffix("]").partition("[")
    if not rest and not bracket:
        return {key: child for key, child in node.items() if key != name}
    if array not in node:
        return node
    child = node[array]
    if bracket:
        child = [without(entry, rest) if entry.get("name") == label else entry for entry in child]
    else:
        child = without(child, rest)
    return node | {array: child}


def merged(first: Tree, second: Tree) -> Tree:
    """What both trees say; the second where both say a value. Arrays of the same path are joined, and their entries of the same ``name``
    (a cache level that two probes saw) become one."""
    result = dict(first)
    for name, node in second.items():
        here = result.get(name)
        if isinstance(node, dict) and isinstance(here, dict):
            result[name] = merged(here, node)
        elif isinstance(node, list) and isinstance(here, list):
            result[name] = _joined(here, node)
        else:
            result[name] = node
    return result


def _joined(first: list[Tree], second: list[Tree]) -> list[Tree]:
    result = list(first)
    places = {
        entry["name"]: place for place, entry in enumerate(first) if "name" in entry and not is_fact(entry)
    }
    for entry in second:
        place = None if is_fact(entry) else places.get(entry.get("name"))
        if place is None:
            result.append(entry)
        else:
            result[place] = merged(result[place], entry)
    return result
