"""The section ``[analysis]`` of study.toml."""

from typing import Literal

from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Positive, Words
from hakaru.foretell.replay.carried import Share
from hakaru.foretell.replay.choices import LIBRARIES
from hakaru.studies.kinds import Assumptions


class Collective(Strict):
    """A table of published.toml whose rows are one ``collective`` on ``machine``; ``ranks_per_node`` ranks a node; ``mpi``: whose choice of
    algorithms. Rows of at most ``offloaded_bytes`` take the network's own table of the machine, one rank a node. ``foreign``: why the
    machine's messages are not those that the results were made with."""

    table: Words
    machine: Words
    collective: Literal["allreduce", "allgather", "reduce"]
    ranks_per_node: AtLeastOne
    mpi: Literal[LIBRARIES]
    offloaded_bytes: int = -1
    foreign: str = ""


class Messages(Strict):
    """A table of single messages between two ranks of ``machine``, by where they sit; ``given`` inputs are in the machine file."""

    table: Words
    machine: Words
    given: tuple[str, ...] = ()


class Here(Strict):
    """What was measured on the machine where the study was made (``source`` says when and by what): its share of one core, rates of STREAM's
    kernels, a matrix product over the peak, LULESH's time of an element and iteration by edge length."""

    source: Words
    bytes_per_s: Positive
    flops_per_s: Positive
    clock_hz: Positive
    stream: dict[str, Positive]
    dgemm_share: Positive
    lulesh_s: dict[str, Positive]

    @property
    def share(self) -> Share:
        return Share(self.bytes_per_s, self.flops_per_s, self.clock_hz)


class Linpack(Strict):
    """A row of ``table``: cores and clock of what ran, the clock where it is not the machine's."""

    table: Words
    machine: Words
    cores: AtLeastOne
    nodes: AtLeastOne = 1
    clock_hz: Positive | None = None
    row: int = 0


class Settings(Strict):
    """``machine`` is the one that most rows are of. ``left_out``: published results that are not forecast, and why."""

    machine: Words
    collectives: tuple[Collective, ...]
    messages: tuple[Messages, ...]
    linpack: tuple[Linpack, ...]
    here: Here
    left_out: dict[str, Words]
    assumptions: Assumptions
