"""One program on one node, in all layouts and ways of pricing."""

from dataclasses import dataclass, field

from hakaru.base.errors import UserError
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.study import Study

from . import teams
from .pricing import FASTER, FREE, ONE_MEMORY, ROOFLINE, SLOWER, Benches, Layout, Priced, layouts_of, priced
from .settings import Kernel, Node, Settings


@dataclass
class Case:
    """One program on one node. ``found``: by layout and way of pricing; ``refused``: why a layout cannot run."""

    node: Node
    program: str
    kernel: Kernel
    found: dict[tuple[Layout, str], Priced] = field(default_factory=dict)
    refused: dict[Layout, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.program}/{self.node.machine}/{self.node.cores}"

    @property
    def team(self) -> Layout:
        return Layout(1, self.node.cores)

    @property
    def flat(self) -> Layout:
        return Layout(self.node.cores, 1)

    @property
    def layouts(self) -> list[Layout]:
        """Those that ran, without the team."""
        return [one for one, way in self.found if way == ROOFLINE and one != self.team]

    @property
    def fastest(self) -> Layout:
        return min(
            (one for one, way in self.found if way == ROOFLINE),
            key=lambda one: self.found[one, ROOFLINE].time_s,
        )

    def ratio(self, layout: Layout, way: str = ROOFLINE) -> float:
        """time(layout) / time(all threads); with one memory for the threads only."""
        ours = self.found[layout, ROOFLINE if way == ONE_MEMORY else way]
        return ours.time_s / self.found[self.team, way].time_s

    @property
    def uneven_ranks(self) -> float:
        return teams.uneven_ranks(self.kernel, self.node.cores)

    @property
    def messages(self) -> float:
        """Share of the flat run's time that it would not take if messages cost nothing."""
        return 1.0 - self.found[self.flat, FREE].time_s / self.found[self.flat, ROOFLINE].time_s

    @property
    def computing(self) -> float:
        """Time that flat ranks compute over the threads', regions left out: uneven planes, and what each rank reads of its own."""
        return self.found[self.flat, FREE].time_s / self.found[self.team, ROOFLINE].work_s

    @property
    def break_even_s(self) -> float:
        """Of a level of a region: threads and ranks take as long."""
        team = self.found[self.team, ROOFLINE]
        levels = teams.levels(self.node.cores)
        flat_s = self.found[self.flat, ROOFLINE].time_s
        return teams.break_even_s(flat_s, team.time_s - team.forks_s, team.regions, levels)


def case_of(
    study: Study[Settings], context: Context, node: Node, program: Entry, benches: Benches | None = None
) -> Case:
    case = Case(node, program.application, study.settings.kernels[program.application])
    context.say(f"{program.application} on {node.cores} cores of {node.machine}")
    benches = benches or Benches(context, study.settings)
    for layout in layouts_of(node):
        ways = {
            case.team: (ROOFLINE, SLOWER, FASTER, ONE_MEMORY),
            case.flat: (ROOFLINE, SLOWER, FASTER, FREE),
        }
        for way in ways.get(layout, (ROOFLINE,)):
            try:
                case.found[layout, way] = priced(study, benches, node, program, layout, way)
            except UserError as error:
                case.refused[layout] = str(error)
    return case
