"""A question to the replay whose ranks sit where a candidate says."""

from dataclasses import dataclass, replace

import msgspec

from hakaru.facts.machines import Machine
from hakaru.foretell.advise.candidates import MAPPINGS, Candidate
from hakaru.foretell.advise.sockets import Sockets, on_sockets, with_memory_share
from hakaru.foretell.replay.question import Documents, Question


@dataclass(frozen=True)
class Placed(Question):
    """A question whose ranks sit where a candidate says."""

    candidate: Candidate | None = None

    def documents(self, machine: Machine, ranks: int) -> Documents:
        asked, one = super().documents(machine, ranks), self.candidate
        network, options, told = asked.network, asked.options, asked.plan.told
        if one.mapping == MAPPINGS[1] and network.placement:
            places = msgspec.structs.replace(network.placement, mapping=MAPPINGS[1])
            network = msgspec.structs.replace(network, placement=places)
        if sockets := Sockets.of(machine):
            network = on_sockets(network, machine, sockets, one.ranks_per_node, one.binding, told)
            share = sockets.bandwidth_share(machine, one.ranks_per_node, one.threads, one.binding)
            options = with_memory_share(options, share, told)
        return replace(asked, network=network, options=options)
