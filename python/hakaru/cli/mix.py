"""``hakaru mix``: many jobs at once on a machine."""

import tomllib
from pathlib import Path
from typing import Annotated

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    files = [
        Path(word)
        for word in built.arguments(words, ("--results", "--page", "--more-nodes", "--turns", "--by"))
    ]
    programs = [name for file in files for name in built.programs_of(file)]
    return [*(built.REPLAY if any(map(_elsewhere, files)) else ()), *programs] or None


def _elsewhere(file: Path) -> bool:
    """Whether the mix is for another machine, on which programs are replayed; the command itself says what is wrong with a file."""
    try:
        return tomllib.loads(file.read_text()).get("machine", "here") != "here"
    except (OSError, ValueError):
        return False


def register(app: typer.Typer) -> None:
    app.command("mix")(mix)


def mix(
    file: Annotated[Path, typer.Argument(help="Mix in TOML (docs/how-to/many-jobs.md).")],
    more_nodes: Annotated[
        str, typer.Option("--more-nodes", help="What if there were so many more nodes; 0 for none.")
    ] = "20%",
    policies: Annotated[
        bool, typer.Option("--policies", help="Also what the other policies would give.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write a page with the schedule as a chart (HTML).")
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs", help="Run the mix's programs beside each other here, and print [[pairs]] for it."
        ),
    ] = False,
    turns: Annotated[int, typer.Option("--turns", min=1, help="With --pairs: how often each is timed.")] = 5,
    by: Annotated[
        str, typer.Option("--by", help="What what-ifs are ranked by: time, node-hours or joules.")
    ] = "time",
    results: Annotated[
        str | None,
        typer.Option("--results", help="Results folder (default: HAKARU_RESULTS or hakaru-results)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Foretell many jobs at once: makespan, throughput, waiting and energy of programs x sizes x layouts under a scheduling policy, and what
    more nodes or other layouts would buy."""
    from hakaru.tell.mix.command import Request, answer, print_pairs

    if pairs:
        print_pairs(file, turns)
        return
    answer(Request(file, more_nodes, policies, page, results, as_json, by))
