"""Machines by how fast they would run one program."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.elsewhere.foretold import Asked, Elsewhere, foretell


@dataclass(frozen=True)
class Ranked:
    name: str
    found: Elsewhere


@dataclass(frozen=True)
class Ranking:
    """The fastest first; ``left_out``: why a machine has no place, by its name."""

    ranked: tuple[Ranked, ...]
    left_out: dict[str, str]

    @property
    def unsure(self) -> list[str]:
        """Names of machines whose intervals reach into that of the fastest."""
        if not self.ranked:
            return []
        limit = self.ranked[0].found.time_s.high
        return [one.name for one in self.ranked[1:] if one.found.time_s.low < limit]


def rank(
    asked: Asked,
    machines: Mapping[str, Path],
    foretold: Callable[[Asked, Machine], Elsewhere] = foretell,
) -> Ranking:
    """``foretold`` says the time on one machine. Raises UserError when no machine has a place, with the first reason."""
    found, left_out = [], {}
    for name, path in machines.items():
        try:
            machine = Machine.load(path)
            found.append(Ranked(name, foretold(fitting(asked, machine), machine)))
        except UserError as error:
            left_out[name] = str(error)
    if not found:
        first = next(iter(left_out.values()), "no machine is known")
        raise UserError(f"no machine can be ranked for {asked.program}", first, "mend that first")
    return Ranking(tuple(sorted(found, key=lambda one: one.found.time_s.value)), left_out)


def fitting(asked: Asked, machine: Machine) -> Asked:
    """With as many ranks as the program takes on these nodes: their cores, else the powers of two and of three times two below."""
    if asked.ranks is not None:
        return asked
    from hakaru.facts import programs

    most = asked.ranks_on(machine)
    program = programs.named(asked.program)
    powers = {factor << power for factor in (1, 3) for power in range(most.bit_length())}
    for ranks in [most, *sorted((one for one in powers if one < most), reverse=True)]:
        if not program.work(dict(asked.given), ranks, asked.threads).refused:
            return replace(asked, ranks=ranks)
    return asked
