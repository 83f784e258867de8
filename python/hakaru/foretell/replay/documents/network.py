"""The network document: what messages, one-sided operations, collectives and files cost, and where ranks sit. SI units."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Seconds
from hakaru.foretell.replay.choices import LIBRARIES

Bytes = Annotated[int, Meta(ge=0)]
LevelName = Literal["self", "core", "socket", "node", "switch"]


class SizeClass(Strict, kw_only=True):
    """Of messages of so many bytes; ``maximum_bytes`` None: of all larger ones. A gap may be negative."""

    minimum_bytes: Bytes = 0
    maximum_bytes: Bytes | None = None
    value_s: float

    def times(self, factor: float) -> "SizeClass":
        return self.lasting(factor * self.value_s)

    def lasting(self, value_s: float) -> "SizeClass":
        return SizeClass.between(self.minimum_bytes, self.maximum_bytes, value_s)

    @classmethod
    def between(cls, least: int, most: int | None, value_s: float) -> "SizeClass":
        return cls(minimum_bytes=least, maximum_bytes=most, value_s=value_s)


class ShareClass(Strict, kw_only=True):
    """The same of a share, 0 to 1."""

    minimum_bytes: Bytes = 0
    maximum_bytes: Bytes | None = None
    value: Annotated[float, Meta(ge=0.0, le=1.0)]


SizeClasses = tuple[SizeClass, ...]
BySize = float | SizeClasses  # one number for every size, or classes


def at_size(classes: BySize, size: int) -> float:
    """Value of the size's class; beyond the last class, of the last; 0 without any."""
    if not isinstance(classes, tuple):
        return classes
    for one in classes:
        if one.maximum_bytes is None or size <= one.maximum_bytes:
            return one.value_s
    return classes[-1].value_s if classes else 0.0


class Point(Strict, kw_only=True):
    bytes: Bytes
    value_s: float


class Packed(Strict, kw_only=True):
    """A byte of a message of ``bytes`` whose data lie in pieces of ``piece_bytes`` with gaps between them, on either side."""

    piece_bytes: AtLeastOne
    bytes: AtLeastOne
    s_per_byte: Seconds


class AfterWork(Strict, omit_defaults=True, kw_only=True):
    """A processor's first message, of ``bytes``, after it computed for ``work_s`` over ``memory_bytes``."""

    work_s: Annotated[float, Meta(ge=1e-9)]
    bytes: Bytes
    memory_bytes: Annotated[int, Meta(ge=1)] = 1
    value_s: Seconds


class AfterCold(Strict, kw_only=True):
    """A processor's first message, of ``bytes``, after it computed what left its caches so cold."""

    cold_s: Annotated[float, Meta(ge=1e-12)]
    bytes: Bytes
    value_s: Seconds


class Refilling(Strict, kw_only=True):
    """Going over ``memory_bytes``, which takes ``sweep_s`` soon after the last time, ``waited_s`` after it."""

    waited_s: Annotated[float, Meta(ge=1e-9)]
    memory_bytes: Annotated[float, Meta(ge=1)]
    sweep_s: Annotated[float, Meta(ge=1e-9)]
    value_s: Seconds


class Sending(Strict, kw_only=True):
    """A send of ``bytes`` by a processor that computed for ``work_s`` since the one before."""

    work_s: Annotated[float, Meta(ge=1e-9)]
    bytes: Bytes
    value_s: Seconds


class FirstUse(Strict, kw_only=True):
    """A message of ``bytes`` sent from its memory for the ``use``-th time: by how much a byte takes longer."""

    bytes: Annotated[int, Meta(ge=1)]
    use: Annotated[int, Meta(ge=1)]
    value: Seconds


class Access(Strict, omit_defaults=True, kw_only=True):
    """A one-sided operation of so many bytes: its call, the gap to the next, until it is complete, by how much its call takes longer
    to data that were just computed, where it raises a flag, and apart from the call before, and until its flag is seen."""

    bytes: Bytes
    call_s: Seconds
    gap_s: Seconds = 0.0
    done_s: Seconds = 0.0
    new_s: Seconds | None = None
    flag_s: Seconds = 0.0
    apart_s: Seconds = 0.0
    seen_s: Seconds = 0.0


class Window(Strict, omit_defaults=True, kw_only=True):
    """One-sided operations on windows of one kind, and the calls around them: right after the call before, and apart from it."""

    put: tuple[Access, ...]
    get: tuple[Access, ...]
    accumulate: tuple[Access, ...]
    put_pieces: tuple[Packed, ...] = ()
    flush_s: Seconds = 0.0
    fence_s: Seconds = 0.0
    post_s: Seconds = 0.0
    start_s: Seconds = 0.0
    complete_s: Seconds = 0.0
    wait_s: Seconds = 0.0
    lock_s: Seconds = 0.0
    unlock_s: Seconds = 0.0
    lock_all_s: Seconds = 0.0
    unlock_all_s: Seconds = 0.0
    flush_apart_s: Seconds | None = None
    fence_apart_s: Seconds | None = None
    fence_late_s: Seconds | None = None
    post_apart_s: Seconds | None = None
    start_apart_s: Seconds | None = None
    complete_apart_s: Seconds | None = None
    wait_apart_s: Seconds | None = None
    lock_apart_s: Seconds | None = None
    unlock_apart_s: Seconds | None = None
    lock_all_apart_s: Seconds | None = None
    unlock_all_apart_s: Seconds | None = None


class OneSided(Strict, omit_defaults=True, kw_only=True):
    """By who gave the memory of the window: the library or the program."""

    allocated: Window | None = None
    created: Window | None = None


class Level(Strict, omit_defaults=True, kw_only=True):
    """LogGP parameters of a distance between ranks; what is absent is 0, the eager limit without end, ``progress`` 1."""

    latency_s: Seconds
    send_overhead: BySize = ()
    receive_overhead: BySize = ()
    gap: BySize = ()
    gap_per_byte: BySize = ()
    eager_limit_bytes: Bytes | None = None
    attended_above_bytes: Bytes | None = None
    release: BySize = ()
    crossing: BySize = ()
    answering: BySize = ()
    crowding: BySize = ()
    crowded_within_s: Seconds = 0.0
    persistent: BySize = ()
    crossing_turn: BySize = ()
    posting: BySize = ()
    posting_apart: BySize = ()
    progress: tuple[ShareClass, ...] = ()
    later: tuple[Point, ...] = ()
    packing: tuple[Packed, ...] = ()
    after_work: tuple[AfterWork, ...] = ()
    after_cold: tuple[AfterCold, ...] = ()
    sending: tuple[Sending, ...] = ()
    receiving: tuple[Point, ...] = ()
    refilling: tuple[Refilling, ...] = ()
    first_uses: tuple[FirstUse, ...] = ()
    small_pages: Seconds | None = None
    one_sided: OneSided | None = None


class Link(Strict, omit_defaults=True, kw_only=True):
    """A rate, or its inverse."""

    gap_s: Seconds = 0.0
    gap_per_byte_s: Seconds | None = None
    rate_bytes_per_s: Annotated[float, Meta(gt=0.0)] | None = None


class Places(Strict, omit_defaults=True, kw_only=True):
    """Where ranks sit in the model ``hierarchy``; without ``nodes_per_switch`` all nodes are on one switch."""

    cores_per_socket: AtLeastOne | None = None
    sockets_per_node: AtLeastOne | None = None
    ranks_per_node: AtLeastOne | None = None
    nodes_per_switch: AtLeastOne | None = None
    mapping: Literal["block", "cyclic"] | None = None
    node_of_rank: tuple[int, ...] | None = None
    socket_of_rank: tuple[int, ...] | None = None


class Node(Strict, omit_defaults=True, kw_only=True):
    """What the ranks of a node share in the model ``hierarchy``."""

    nic: Link | None = None
    memory: Link | None = None


class Topology(Strict, omit_defaults=True, kw_only=True):
    """Links between nodes. ``dimensions``, ``wrap``: of a torus; ``down``, ``up``: children and parents of a switch of a fat tree."""

    link: Link
    ranks_per_node: AtLeastOne | None = None
    hop_latency_s: Seconds | None = None
    dimensions: tuple[AtLeastOne, ...] | None = None
    wrap: bool | None = None
    down: tuple[AtLeastOne, ...] | None = None
    up: tuple[AtLeastOne, ...] | None = None


class FileSystem(Strict, omit_defaults=True, kw_only=True):
    """A rate of 0 is no limit."""

    operation_s: Seconds | None = None
    rank_bytes_per_s: Seconds | None = None
    total_bytes_per_s: Seconds | None = None


class PutGet(Strict, omit_defaults=True, kw_only=True):
    """PUT and GET by a message controller (``hardware``) or by interrupts; times by the names of MLSim (native/replay/engine/put_get.hpp)."""

    hardware: bool
    put_prolog_time: Seconds | None = None
    put_epilog_time: Seconds | None = None
    put_enqueue_time: Seconds | None = None
    put_msg_time: Seconds
    put_dma_set_time: Seconds | None = None
    put_msg_post_time: Seconds | None = None
    check_prolog_time: Seconds | None = None
    intr_rtc_time: Seconds | None = None
    intr_rtc_rcv_time: Seconds | None = None
    intr_rtc_send_time: Seconds | None = None
    recv_msg_flush_time: Seconds | None = None
    recv_dma_set_time: Seconds | None = None
    acknowledge_time: Seconds | None = None


class MeasuredPoint(Strict, kw_only=True):
    """A measured time of a collective."""

    ranks: Annotated[float, Meta(ge=1)]
    bytes: Annotated[float, Meta(ge=0)] = 0
    value_s: Seconds


class Price(Strict, omit_defaults=True, kw_only=True):
    """Of a collective: an algorithm, or a table of times."""

    algorithm: str | None = None
    hardware_s: Seconds | None = None
    stage_s: Seconds | None = None
    stage_s_per_byte: Seconds | None = None
    stage_wire_s_per_byte: Seconds | None = None
    wire_s_per_byte: Seconds | None = None
    table: tuple[MeasuredPoint, ...] | None = None
    grid_table: tuple[MeasuredPoint, ...] | None = None


Library = Literal[LIBRARIES]


class Network(Strict, omit_defaults=True, kw_only=True):
    """``levels`` by distance; ``placement`` and ``node`` are of the model ``hierarchy``, ``topology`` of models with links."""

    model: Annotated[str, Meta(pattern="^[a-z_]+$")]
    levels: dict[LevelName, Level]
    placement: Places | None = None
    node: Node | None = None
    topology: Topology | None = None
    reduction_s_per_byte: BySize | None = None
    file_system: FileSystem | None = None
    decision: Library | None = None
    put_get: PutGet | None = None
    collectives: dict[str, Price] = {}

    @property
    def has_shared_links(self) -> bool:
        return self.node is not None or self.topology is not None

    def ideal(self) -> "Network":
        """The same machine when messages cost nothing; files cost what they do."""
        return ideal(self.file_system)


def ideal(files: FileSystem | None = None) -> Network:
    """Messages that cost nothing."""
    return Network(model="loggp", levels={"core": Level(latency_s=0.0)}, file_system=files)
