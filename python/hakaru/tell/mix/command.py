"""``hakaru mix``: reads the mix, asks, tells."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import paths, quantities
from hakaru.base.errors import UserError
from hakaru.base.output import INTERRUPTED, AlreadyTold, note, print_json
from hakaru.foretell.mix import file as mixes
from hakaru.foretell.mix.ask import Wanted, ask
from hakaru.foretell.mix.ranking import VALUES
from hakaru.tell.mix import display

BY = tuple(VALUES)
MOST_MORE = 100.0


@dataclass(frozen=True)
class Request:
    """As typed."""

    file: Path
    more_nodes: str
    policies: bool
    page: Path | None
    results: str | None
    as_json: bool
    by: str = BY[0]

    @property
    def line(self) -> str:
        words = ["hakaru", "mix", str(self.file)]
        words += ["--more-nodes", self.more_nodes] if self.more_nodes != "20%" else []
        words += ["--policies"] if self.policies else []
        words += ["--by", self.by] if self.by != BY[0] else []
        words += ["--page", str(self.page)] if self.page else []
        return shlex.join(words)


def answer(request: Request) -> None:
    """Raises UserError for a mix that cannot be."""
    if request.by not in BY:
        raise UserError(
            f"a mix cannot be ranked by '{request.by}'", f"known are {', '.join(BY)}", "choose one of them"
        )
    wanted = Wanted(_share(request.more_nodes), request.policies)
    mix = mixes.read(request.file)
    try:
        found = ask(mix, request.file.parent, paths.results_folder(request.results), wanted)
    except KeyboardInterrupt:
        note(
            "stopped; nothing of a mix is kept: the same command begins again, the same seed gives the same answer"
        )
        raise AlreadyTold(INTERRUPTED) from None
    if request.page:
        from hakaru.tell.mix.mix_page import write_page

        write_page(request.page, found, request.line)
    if request.as_json:
        print_json(found.result.as_dict())
    else:
        display.show(found, request.page, request.by)


def print_pairs(path: Path, turns: int) -> None:
    """Raises UserError where nothing can be run beside each other."""
    from hakaru.foretell.mix import pairs

    for one in pairs.measure(pairs.jobs_of(mixes.read(path)), turns, note):
        print(one.toml())


def _share(text: str) -> float:
    try:
        found = quantities.parse(text, "1")
    except ValueError as error:
        raise UserError(f"--more-nodes {text} is not understood", str(error), "write 20% or 0.2") from None
    if not 0.0 <= found <= MOST_MORE:
        raise UserError(f"--more-nodes {text} cannot be", "it is a share of the nodes", "write 20% or 0.2")
    return found
