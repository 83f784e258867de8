"""A question to the replay whose ranks sit where a candidate says."""

from dataclasses import dataclass

from hakaru.facts.machines import Machine
from hakaru.foretell.advise.candidates import MAPPINGS, Candidate
from hakaru.foretell.advise.sockets import Sockets, limit_memory, place
from hakaru.foretell.replay.question import Question


@dataclass(frozen=True)
class Placed(Question):
    """A question whose ranks sit where a candidate says."""

    candidate: Candidate | None = None

    def documents(self, machine: Machine, ranks: int):
        asked, one = super().documents(machine, ranks), self.candidate
        if one.mapping == MAPPINGS[1] and "placement" in asked.network:
            asked.network["placement"]["mapping"] = MAPPINGS[1]
        if sockets := Sockets.of(machine):
            place(asked.network, machine, sockets, one.ranks_per_node, one.binding, asked.plan.told)
            share = sockets.bandwidth_share(machine, one.ranks_per_node, one.threads, one.binding)
            limit_memory(asked.options, share, asked.plan.told)
        return asked
