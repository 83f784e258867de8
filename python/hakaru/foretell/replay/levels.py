"""Message costs of the distances between ranks, from a machine's facts: LogGP parameters by size, without overheads counted twice.

Facts ``network.<level>`` (docs/reference/contracts.md); a level is a kind of distance: core (two cores of a socket), socket (two sockets of a node),
node (two nodes of a switch), switch (across switches). A level without facts is taken from the next one outwards, inside a node also
from the next one inwards, and so is a latency or a time per byte that a level lacks; overheads and gaps that it lacks are zero, since
its latency holds them. Whatever was taken or left out is told.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.disturbances import (
    CROWDED_WITHIN_S,
    after_cold,
    after_work,
    answering,
    crossing,
    crossing_turn,
    crowding,
    first_uses,
    kept_s,
    of_two_ranks,
    persistent,
    posting,
    progress,
    receiving,
    refilling,
    sending,
    small_pages,
)
from hakaru.foretell.replay.documents.answer import Basis
from hakaru.foretell.replay.documents.network import Level, Packed, SizeClass, SizeClasses, at_size
from hakaru.foretell.replay.measured import alone, as_set, refine
from hakaru.foretell.replay.one_sided import one_sided
from hakaru.foretell.replay.settable import LEVELS

WORDS = {
    "core": "cores of a socket",
    "socket": "sockets of a node",
    "node": "nodes of a switch",
    "switch": "nodes across switches",
}
# Where a level's parameters may come from, in this order. Between nodes nothing is taken from inside a node.
_SOURCES = {
    "core": ("core", "socket", "node", "switch"),
    "socket": ("socket", "node", "switch", "core"),
    "node": ("node", "switch"),
    "switch": ("switch", "node"),
}
_FAR = 16  # times the largest message of the trains
_OVERHEADS = ("send_overhead", "receive_overhead")
_CLASSES = (*_OVERHEADS, "gap", "gap_per_byte")


@dataclass
class Told:
    """What a replay rests on: facts with their sources, and what was assumed because the machine does not say."""

    facts: list[Basis] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(
        default_factory=dict
    )  # what is assumed of a level -> facts that levels lack

    @property
    def assumed(self) -> list[str]:
        return self.texts + [f"{what} (no fact {', '.join(paths)})" for what, paths in self.lacking.items()]

    def fact(self, path: str, fact: Fact) -> None:
        self.rest_on(Basis.of(path, fact))

    def rest_on(self, basis: Basis) -> None:
        if basis not in self.facts:
            self.facts.append(basis)

    def assume(self, text: str) -> None:
        if text not in self.texts:
            self.texts.append(text)

    def lack(self, what: str, path: str) -> None:
        paths = self.lacking.setdefault(what, [])
        if path not in paths:
            paths.append(path)


def entries(machine: Machine, level: str, name: str) -> tuple[Fact, ...]:
    """Facts network.<level>.<name>."""
    return machine.facts(f"network.{level}.{name}")


def level_of(machine: Machine, level: str, told: Told) -> Level:
    """One of the network document's ``levels``. Raises UserError naming the fact that is missing."""
    found = _plain(machine, level, told)
    measured = machine.as_measured
    right_after = answering(_ascending(measured, level, "answering"))
    pingpong, window = (
        [(fact.keys["bytes"], fact.value) for fact in _ascending(measured, level, name)]
        for name in ("pingpong", "window")
    )
    pingpong = [(size, half_s - at_size(right_after, size)) for size, half_s in pingpong]
    if pingpong and window:
        plain = found if measured is machine else _plain(measured, level, Told())
        found = as_set(refine(plain, pingpong, window), plain, found)
        for name in ("pingpong", "window"):
            for entry in _ascending(measured, level, name):
                told.fact(f"network.{level}.{name}", entry)
        told.assume(f"single messages take network.{level}.pingpong, and each of many network.{level}.window")
    elif pingpong and not machine.is_measured:
        plain = found if measured is machine else _plain(measured, level, Told())
        found = as_set(alone(plain, pingpong), plain, found)
        for entry in _ascending(measured, level, "pingpong"):
            told.fact(f"network.{level}.pingpong", entry)
        told.assume(
            f"single messages take network.{level}.pingpong, and many follow each other at its last slope"
        )
    elif machine.is_measured:
        told.lack("single messages take what trains of messages say", f"network.{level}.window")
    if packed := _packing(machine, level, told):
        found = msgspec.structs.replace(found, packing=packed)
    if prices := one_sided(machine, level):
        found = msgspec.structs.replace(found, one_sided=prices)
        told.assume(f"one-sided operations take network.{level}.access and epoch, whatever the target does")
    return _disturbed(found, machine, level, told)


def _packing(machine: Machine, level: str, told: Told) -> tuple[Packed, ...]:
    """What the library takes for data with gaps; nothing where it was not measured."""
    if not (found := _found(machine, level, "packing")):
        return ()
    source, facts, _ = found
    _tell(machine, level, source, "packing", facts, told)
    return tuple(
        Packed(
            piece_bytes=int(fact.keys["piece_bytes"]),
            bytes=int(fact.keys["bytes"]),
            s_per_byte=max(float(fact.value), 0.0),
        )
        for fact in facts
    )


def _plain(machine: Machine, level: str, told: Told) -> Level:
    """The level by LogGP alone."""
    classes = {name: _classes(machine, level, name, told) for name in _CLASSES}
    latency_s = _latency_s(machine, level, classes, told)
    classes["gap_per_byte"] = _reaching_long_messages(classes["gap_per_byte"], machine, level, told)
    limit = _eager_limit(machine, level, told)
    if limit is not None and machine.is_measured and machine.has(f"network.{level}"):
        for name in ("send_overhead", "receive_overhead"):
            classes[name] = _without_waits(classes[name], limit, f"network.{level}.{name}", told)
    return Level(
        latency_s=latency_s,
        eager_limit_bytes=limit,
        attended_above_bytes=_attended_above(machine, level, limit, told),
        release=_release(machine, level, told),
        **classes,
    )


def _attended_above(machine: Machine, level: str, eager_limit: int | None, told: Told) -> int | None:
    """From what size on blocking sends of a probed level wait for their receivers' calls, where that is below the eager limit."""
    limit = next(iter(entries(machine, level, "unattended_send_limit")), None)
    if limit is None or eager_limit is None or limit.value >= eager_limit:
        return None
    told.fact(f"network.{level}.unattended_send_limit", limit)
    return int(limit.value)


def _release(machine: Machine, level: str, told: Told) -> SizeClasses:
    """Of a probed level; negative where senders are free before their receivers."""
    facts = entries(machine, level, "release")
    for fact in facts:
        told.fact(f"network.{level}.release", fact)
    return tuple(
        SizeClass(
            minimum_bytes=int(fact.keys["minimum_bytes"]),
            maximum_bytes=int(fact.keys["maximum_bytes"]) if number + 1 < len(facts) else None,
            value_s=float(fact.value),
        )
        for number, fact in enumerate(sorted(facts, key=lambda fact: fact.keys["minimum_bytes"]))
    )


def _eager_limit(machine: Machine, level: str, told: Told) -> int | None:
    own = machine.is_measured and machine.has(f"network.{level}")
    limit = _found(machine, level, "eager_limit")
    if own and limit and limit[0] != level:
        limit = None  # a probed level without this fact has no limit
    if limit:
        told.fact(f"network.{limit[0]}.eager_limit", limit[1][0])
        return int(limit[1][0].value)
    if not machine.is_measured:
        told.lack("no message waits for its receive to be posted", f"network.{level}.eager_limit")
    return None


def _ascending(machine: Machine, level: str, name: str) -> list[Fact]:
    return sorted(entries(machine, level, name), key=lambda fact: fact.keys["bytes"])


def _reaching_long_messages(pieces: SizeClasses, machine: Machine, level: str, told: Told) -> SizeClasses:
    """Time per byte beyond what the probe's trains reached (slow networks leave them few sizes): the slope of the largest ping-pongs."""
    points = _ascending(machine, level, "pingpong")
    reached = pieces[-1].maximum_bytes if pieces else None
    if reached is None or len(points) < 2 or points[-2].keys["bytes"] <= _FAR * reached:
        return pieces
    told.assume(
        f"above {reached} B a byte takes the slope of the two largest network.{level}.pingpong (the probe's trains ended there)"
    )
    return (*pieces, SizeClass(minimum_bytes=reached + 1, value_s=max(_slope(*points[-2:]), 0.0)))


def _slope(first: Fact, last: Fact) -> float:
    """Time of one byte more."""
    return (last.value - first.value) / (last.keys["bytes"] - first.keys["bytes"])


def _without_waits(pieces: SizeClasses, limit: int, path: str, told: Told) -> SizeClasses:
    """Overheads above the eager limit become those of the largest eager message: a probe times the whole call, which there holds the
    wait for the other side and the transfer, and the engine adds these by itself."""
    eager = [piece for piece in pieces if piece.minimum_bytes < limit]
    if not eager or len(eager) == len(pieces):
        return pieces
    told.assume(
        f"above the eager limit {path} is that of the largest eager message (there a probe's holds the wait)"
    )
    return (*eager[:-1], msgspec.structs.replace(eager[-1], maximum_bytes=None))


# Of facts that have the name of what they make, but for _FROM, and those that together say how messages progress.
_FROM = {"crossing_turn": "neighbourhood"}
_DISTURBED = {
    "crossing": crossing,
    "answering": answering,
    "crowding": crowding,
    "persistent": persistent,
    "crossing_turn": crossing_turn,
    "posting": posting,
    "posting_apart": posting,
    "after_work": after_work,
    "after_cold": after_cold,
    "first_uses": first_uses,
    "small_pages": small_pages,
    "sending": sending,
    "receiving": receiving,
    "refilling": refilling,
}
_BESIDE = ("exchange", "exchange_beside_work")
# What is assumed where a part of _disturbed was measured.
_SAID = {
    "crossing": "messages that cross come later by network.{level}.crossing",
    "answering": "messages right after receives come later by network.{level}.answering",
    "crowding": "messages that cross right after the ones before come later by network.{level}.crowding, too",
    "persistent": "persistent sends take longer, or shorter, by network.{level}.persistent",
    "crossing_turn": "long messages that cross follow each other as neighbours of network.{level}.neighbourhood do",
    "posting": "a receive that is waited for later is posted in network.{level}.posting, or posting_apart",
    "after_work": "messages after computing take longer by network.{level}.after_work",
    "after_cold": "messages after computing that was seen to leave caches cold take longer by network.{level}.after_cold",
    "first_uses": "messages from memory that is new take longer by network.{level}.first_uses",
    "small_pages": "by rendezvous, messages from large pages, of traces that tell them, take less by network.{level}.small_pages",
    "sending": "sends and receives keep the processors that serve the network as long as network.{level}.sending and receiving say",
    "refilling": "computing takes longer the longer ago as much was computed, by network.{level}.refilling",
    "progress": "messages move at a share of their speed while their receiver computes, by network.{level}.exchange_beside_work",
}


def _disturbed(plain: Level, machine: Machine, level: str, told: Told) -> Level:
    """What only a probe of this level can say; nothing where it does not."""
    facts = {name: entries(machine, level, _FROM.get(name, name)) for name in (*_DISTURBED, *_BESIDE)}
    facts["crossing_turn"] = of_two_ranks(facts["crossing_turn"])
    if any(entries(machine, level, name) != entries(machine.as_measured, level, name) for name in _OVERHEADS):
        facts |= {"sending": (), "receiving": ()}  # overheads that are set are asked about

    def overheads_s(size: int) -> float:
        if facts["sending"] and facts["receiving"]:
            return kept_s(facts["sending"], facts["receiving"], size)
        return at_size(plain.send_overhead, size) + at_size(plain.receive_overhead, size)

    found = {name: made(facts[name]) for name, made in _DISTURBED.items()}
    used = [name for name in found if found[name]]
    found["progress"] = progress(*(facts[name] for name in _BESIDE), overheads_s)
    used += _BESIDE if found["progress"] else ()
    for name in used:
        for entry in facts[name]:
            told.fact(f"network.{level}.{_FROM.get(name, name)}", entry)
    for name, text in _SAID.items():
        if found[name]:
            told.assume(text.format(level=level))
    if found["answering"] or found["crowding"] or found["posting_apart"] or plain.one_sided:
        found["crowded_within_s"] = CROWDED_WITHIN_S
    return msgspec.structs.replace(plain, **found)


def levels_of(machine: Machine, used: Iterable[str], told: Told) -> dict[str, Level]:
    """The levels in use, by name."""
    wanted, result = set(used), {}
    for level in LEVELS:
        if level not in wanted:
            continue
        source = next((other for other in _SOURCES[level] if machine.has(f"network.{other}")), level)
        if source != level:
            told.assume(
                f"messages between {WORDS[level]} cost what those between {WORDS[source]} do (no facts network.{level})"
            )
        result[level] = level_of(machine, source, told)
    return result


def _found(machine: Machine, level: str, *names: str) -> tuple[str, tuple[Fact, ...], str] | None:
    """(level, facts, name) of the nearest level that has one of the names."""
    for source in _SOURCES[level]:
        for name in names:
            if facts := entries(machine, source, name):
                return source, facts, name
    return None


def _classes(machine: Machine, level: str, name: str, told: Told) -> SizeClasses:
    """Empty when there are none, which is zero."""
    inherited = _found(machine, level, name)
    found = inherited if name == "gap_per_byte" or (inherited and inherited[0] == level) else None
    if not found and name == "gap_per_byte":
        return _gap_per_byte(machine, level, told)
    if not found:
        what = {
            "gap": "no time between two messages",
            "send_overhead": "sending takes no time of the processor",
        }.get(name, "receiving takes no time of the processor")
        told.lack(what, f"network.{level}.{name}")
        return ()
    source, facts, _ = found
    _tell(machine, level, source, name, facts, told)
    return tuple(
        SizeClass(
            minimum_bytes=int(fact.keys.get("minimum_bytes", 0)),
            maximum_bytes=int(fact.keys["maximum_bytes"]) if "maximum_bytes" in fact.keys else None,
            value_s=max(float(fact.value), 0.0),
        )
        for fact in sorted(facts, key=lambda fact: fact.keys.get("minimum_bytes", 0))
    )


def _tell(machine: Machine, level: str, source: str, name: str, facts: Iterable[Fact], told: Told) -> None:
    for entry in facts:
        told.fact(f"network.{source}.{name}", entry)
    if source != level and machine.has(f"network.{level}"):
        told.assume(f"network.{level}.{name} is that of network.{source}")


def _gap_per_byte(machine: Machine, level: str, told: Told) -> SizeClasses:
    """G from a bandwidth, or from the two largest ping-pongs: (t2 - t1) / (s2 - s1)."""
    found = _found(machine, level, "bandwidth_measured", "bandwidth_peak")
    if found:
        source, facts, name = found
        told.fact(f"network.{source}.{name}", facts[0])
        told.assume(f"a byte takes 1 / network.{source}.{name}")
        return (SizeClass(value_s=1.0 / facts[0].value),)
    for source in _SOURCES[level]:
        points = _ascending(machine, source, "pingpong")
        if len(points) >= 2 and points[-1].keys["bytes"] > points[-2].keys["bytes"]:
            first, last = points[-2:]
            told.fact(f"network.{source}.pingpong", last)
            told.assume(f"a byte takes the slope of the two largest network.{source}.pingpong")
            return (SizeClass(value_s=max(_slope(first, last), 0.0)),)
    raise _missing(machine, level, "gap_per_byte", "bandwidth=10Gbit/s")


def _latency_s(machine: Machine, level: str, classes: dict[str, SizeClasses], told: Told) -> float:
    """L without overheads. The fact ``latency`` is half a round trip, with o_s and o_r of small messages inside."""
    for source in _SOURCES[level]:
        bare = entries(machine, source, "latency_without_overheads")
        full = entries(machine, source, "latency") or _ascending(machine, source, "pingpong")
        if not bare and not full:
            continue
        name = (
            "latency_without_overheads"
            if bare
            else "latency"
            if entries(machine, source, "latency")
            else "pingpong"
        )
        entry = (bare or full)[0]
        _tell(machine, level, source, name, [entry], told)
        inside = (
            0.0 if bare else sum(at_size(classes[part], 0) for part in ("send_overhead", "receive_overhead"))
        )
        return max(float(entry.value) - inside, 0.0)
    raise _missing(machine, level, "latency", "latency=2us")


def _missing(machine: Machine, level: str, name: str, example: str) -> UserError:
    has = [other for other in LEVELS if machine.has(f"network.{other}")]
    return UserError(
        f"the machine '{machine.name}' does not say network.{level}.{name}",
        f"ranks talk between {WORDS[level]}, and its message facts are {', '.join(has) or 'none'}",
        f"set it with --set network.{level}.{example}, or place all ranks on one node with --ranks-per-node",
    )
