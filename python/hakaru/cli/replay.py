"""``hakaru replay``: a trace or a schedule on the facts of a machine, and what would change if a fact were another."""

from pathlib import Path
from typing import Annotated

import typer

from hakaru.own.setup import targets as built

TEXTS = list[str] | None


def targets(words: list[str]) -> list[str]:
    return [*built.REPLAY, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="OTF2 archive (folder or traces.otf2), schedule in JSON, or schedule:PROGRAM,n=128.",
        ),
    ],
    machine: Annotated[
        str, typer.Option("--machine", help="Machine to replay on: a known name, a file, or 'here'.")
    ] = "here",
    network: Annotated[
        str, typer.Option("--network", help="hierarchy, loggp, torus, fat_tree or crossbar.")
    ] = "hierarchy",
    settings: Annotated[
        TEXTS, typer.Option("--set", help="Set a fact: network.node.latency=2us, or =0.5x to multiply it.")
    ] = None,
    collective: Annotated[
        TEXTS,
        typer.Option(
            "--collective", help="alltoall=pairwise; =measured takes the machine's table; =hardware:2us."
        ),
    ] = None,
    mpi: Annotated[
        str, typer.Option("--mpi", help="Whose choice of collective algorithms: openmpi or mpich.")
    ] = "openmpi",
    compute_factor: Annotated[
        float | None,
        typer.Option("--compute-factor", min=0.0, help="Computing takes that many times as long."),
    ] = None,
    compute: Annotated[
        str,
        typer.Option(
            "--compute", help="factor, roofline (of --from and --machine), or phases (see --phase)."
        ),
    ] = "factor",
    phase: Annotated[
        TEXTS, typer.Option("--phase", help="With --compute phases: stencil=0.5, or stencil=kernel:NAME.")
    ] = None,
    traced_on: Annotated[
        str | None, typer.Option("--from", help="Machine on which a trace was taken, for --compute.")
    ] = None,
    work: Annotated[
        str | None,
        typer.Option("--work", help="Program that a trace is of, as PROGRAM,n=128, for its work counts."),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            "--noise",
            help="machine (what was measured), 2us, gaussian:5%, periodic:10ms:100us, or a file of detours in s.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed of the noise.")] = None,
    ranks_per_node: Annotated[
        int | None, typer.Option("--ranks-per-node", min=1, help="Ranks of a node (default: its cores).")
    ] = None,
    sharing: Annotated[
        bool,
        typer.Option("--sharing/--no-sharing", help="Ranks of a node share its link and memory (hierarchy)."),
    ] = True,
    links: Annotated[
        str, typer.Option("--links", help="How messages share links: first_come, or max_min (fair, slow).")
    ] = "first_come",
    ranks: Annotated[int | None, typer.Option("--ranks", min=1, help="Ranks of schedule:PROGRAM.")] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads of each rank.")] = 1,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether the input can progress; names blocked ranks.")
    ] = False,
    critical_path: Annotated[
        bool,
        typer.Option(
            "--critical-path", help="What the longest chain of dependences is made of (takes memory)."
        ),
    ] = False,
    sweep: Annotated[
        TEXTS, typer.Option("--sweep", help="network.node.latency=1us..100us:9; two of them make a map.")
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Which fact, costing a tenth less time, buys most.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--page", help="HTML file of a sweep (default: beside its JSON).")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Replays at a time (default: the cores).")
    ] = None,
    results: Annotated[str | None, typer.Option("--results", help="Results folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Replay a trace or a schedule on a machine: how long it would take there, and why."""
    from hakaru.tell.replays.request import Request, answer

    answer(
        Request(
            source=source,
            machine=machine,
            network=network,
            settings=settings or [],
            collectives=collective or [],
            mpi=mpi,
            compute_factor=compute_factor,
            compute=compute,
            phases=phase or [],
            traced_on=traced_on,
            work=work,
            noise=noise,
            seed=seed,
            ranks_per_node=ranks_per_node,
            ranks=ranks,
            sharing=sharing,
            links=links,
            threads=threads,
            check=check,
            critical_path=critical_path,
            sweeps=sweep or [],
            sensitivity=sensitivity,
            page=page,
            jobs=jobs,
            results=results,
            as_json=as_json,
        )
    )
