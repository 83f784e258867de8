"""Machine files: facts about a machine, measured or published, each with its source."""

from hakaru.facts.machines.fact import fact
from hakaru.facts.machines.files import known_machines, problems, validate
from hakaru.facts.machines.from_probes import distil, distil_checked
from hakaru.facts.machines.machine import Machine

__all__ = ["Machine", "distil", "distil_checked", "fact", "known_machines", "problems", "validate"]
