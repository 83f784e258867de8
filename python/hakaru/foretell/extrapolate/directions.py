"""Which way a message goes where both neighbours along an axis are one rank, so that no trace says it.

A send goes the opposite way of the receive with its tag. Of messages that nothing says more of,
as many go one way as the other, in the order of those along axes where it can be told.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hakaru.foretell.extrapolate.items import RECEIVES, SENDS, Op
from hakaru.foretell.extrapolate.peers import PeerLaw
from hakaru.foretell.extrapolate.template import Node


@dataclass(frozen=True)
class Message:
    """``laws``: all that are as simple and say whom it means."""

    node: Node
    laws: tuple[PeerLaw, ...]

    @property
    def sends(self) -> bool:
        return self.node.key[0] in SENDS

    @property
    def tags(self) -> frozenset[float]:
        items = self.node.seen.values()
        return frozenset(one.values["tag"] for one in items if isinstance(one, Op) and "tag" in one.values)


def directions(messages: Iterable[Message]) -> dict[Node, PeerLaw]:
    """The law of each message."""
    every = [one for one in messages if one.node.key[0] in (*SENDS, *RECEIVES)]
    found = {one.node: one.laws[0] for one in every if len(one.laws) == 1}
    first = {sends: _first(every, found, sends) for sends in (False, True)}
    uses: dict[bool, Counter[PeerLaw]] = {False: Counter(), True: Counter()}
    for one in every:
        if one.node not in found:
            found[one.node] = _meeting(one, every, found) or min(
                one.laws, key=lambda law, one=one: (uses[one.sends][law], _sign(law) != first[one.sends])
            )
            uses[one.sends][found[one.node]] += 1
    return found


def _first(messages: Sequence[Message], known: dict[Node, PeerLaw], sends: bool) -> int:
    """The way of the first message that is known."""
    return next((_sign(known[one.node]) for one in messages if one.sends == sends and one.node in known), 0)


def _sign(law: PeerLaw) -> int:
    return next((by for by in law.step if by), 0)


def _meeting(one: Message, messages: Sequence[Message], known: dict[Node, PeerLaw]) -> PeerLaw | None:
    """The opposite of what is known of the messages with its tag, where that is one law."""
    others = {
        known[other.node]
        for other in messages
        if other.sends != one.sends and other.node in known and other.tags == one.tags and other.tags
    }
    opposite = [law for law in one.laws for other in others if _opposite(law, other)]
    return opposite[0] if len(others) == 1 and opposite else None


def _opposite(one: PeerLaw, other: PeerLaw) -> bool:
    return one.grid is other.grid and bool(one.step) and one.step == tuple(-by for by in other.step)
