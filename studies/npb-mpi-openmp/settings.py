"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Positive, Words
from hakaru.foretell.replay.choices import LIBRARIES
from hakaru.studies.entry import Entry
from hakaru.studies.kinds import Assumptions, Counts, Links, Network, Number


class Kernel(Strict):
    """How a program is divided: ranks share ``planes``, the threads of a rank ``each`` parts of every plane of it. ``rate``: operations of
    a core in a cycle come from that published number, else from the roofline."""

    planes: AtLeastOne
    each: AtLeastOne = 1
    published_rate: bool = False


class Node(Strict):
    """``cores`` of one node of a machine; ``mixes``: numbers of ranks beside one a core and one of all; ``fork``: the system in the table of
    overheads whose regions of threads stand for its own."""

    machine: Words
    cores: AtLeastOne
    mixes: Counts
    fork: Words


class Tested(Strict):
    """A published rate of threads that is held against the replay: of ``application``, a program of the study; ``order`` and ``elements``
    of its matrix."""

    application: Words
    machine: Words
    threads: AtLeastOne
    order: AtLeastOne
    elements: AtLeastOne


class Rate(Strict):
    """Of one program with ``cores`` of ``machine``, in operations/s."""

    number: Number
    machine: Words
    cores: AtLeastOne


class Overheads(Strict):
    """The table of published regions of threads: its key, the column in us, and the column of how many threads."""

    table: str
    key: str
    column: str
    threads: str


class Here(Strict):
    """What is run on this machine: whole classes, which verify themselves; ``launches`` of each layout. ``node``: on as many cores of whose
    machine the same is replayed."""

    node: Node
    launches: AtLeastOne
    programs: Annotated[tuple[Entry, ...], Meta(min_length=1)]


class Settings(Strict):
    """``messages_of``: the machine whose messages inside a node stand for those of machines that have none; ``other``: computing is
    so many times slower, and faster, than the roofline says, to see what of a ratio hangs on it."""

    network: Network
    links: Links
    mpi: Annotated[str, Meta(pattern="|".join(f"^{name}$" for name in LIBRARIES))]
    messages_of: Words
    other: Positive
    rate: Rate
    overheads: Overheads
    tested: Tested
    kernels: dict[str, Kernel]
    nodes: Annotated[tuple[Node, ...], Meta(min_length=1)]
    here: Here
    assumptions: Assumptions
