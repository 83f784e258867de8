"""The options of ``hakaru replay``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hakaru.foretell.replay.choices import LIBRARIES, LINKS, MODELS, SENDS, WAYS


def _listed(names: tuple[str, ...]) -> str:
    """``a, b or c``."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


Texts = list[str]


@dataclass(frozen=True)
class Request:
    """What is replayed, on what, and what shall be said."""

    source: Annotated[
        str,
        Argument(
            metavar="INPUT",
            help="OTF2 archive (folder or traces.otf2), schedule in JSON, or schedule:PROGRAM,n=128.",
        ),
    ]
    machine: Annotated[
        str, Option("--machine", "--on", help="Machine to replay on: a known name, a file, or 'here'.")
    ] = "here"
    network: Annotated[str, Option("--network", help=f"{_listed(MODELS)}.")] = MODELS[0]
    settings: Annotated[
        Texts, Option("--set", help="Set a fact: network.node.latency=2us, or =0.5x to multiply it.")
    ] = field(default_factory=list)
    collectives: Annotated[
        Texts,
        Option(
            "--collective",
            help="alltoall=pairwise; =measured takes the machine's table; =by_node that inside a node and among nodes; "
            "=hardware:2us.",
        ),
    ] = field(default_factory=list)
    mpi: Annotated[
        str, Option("--mpi", help=f"Whose choice of collective algorithms: {_listed(LIBRARIES)}.")
    ] = LIBRARIES[0]
    compute_factor: Annotated[
        float | None, Option("--compute-factor", min=0.0, help="Computing takes that many times as long.")
    ] = None
    compute: Annotated[
        str | None,
        Option(
            "--compute",
            help=f"{_listed(WAYS)}: roofline of --from and --machine, phases by --phase, measured by runs here, "
            "carried by both machines' memories and cores (of a trace of the probed machine, on another one).",
        ),
    ] = None
    phases: Annotated[
        Texts, Option("--phase", help="With --compute phases: stencil=0.5, or stencil=kernel:NAME.")
    ] = field(default_factory=list)
    traced_on: Annotated[
        str | None, Option("--from", help="Machine on which a trace was taken, for --compute.")
    ] = None
    work: Annotated[
        str | None,
        Option("--work", help="Program that a trace is of, as PROGRAM,n=128, for its work counts."),
    ] = None
    noise: Annotated[
        str | None,
        Option(
            "--noise",
            help="machine (what was measured), 2us, gaussian:5%, periodic:10ms:100us (with :together after it, of all ranks at once), "
            "or a file of detours in s; :calls after machine or periodic: calls of MPI are struck, too.",
        ),
    ] = None
    seed: Annotated[int | None, Option("--seed", min=0, help="Seed of the noise.")] = None
    ranks_per_node: Annotated[
        int | None, Option("--ranks-per-node", min=1, help="Ranks of a node (default: its cores).")
    ] = None
    sharing: Annotated[
        bool, Option("--sharing/--no-sharing", help="Ranks of a node share its link and memory (hierarchy).")
    ] = True
    links: Annotated[
        str,
        Option("--links", help=f"How messages share links: {_listed(LINKS)}; max_min is fair and slower."),
    ] = LINKS[0]
    ranks: Annotated[int | None, Option("--ranks", min=1, help="Ranks of schedule:PROGRAM.")] = None
    threads: Annotated[int, Option("--threads", min=1, help="Threads of each rank.")] = 1
    check: Annotated[
        bool, Option("--check", help="Only say whether the input can progress; names blocked ranks.")
    ] = False
    sends: Annotated[
        str | None,
        Option(
            "--sends",
            help=f"{' or '.join(SENDS)}: would such sends pay, with waits as late as dependences allow?",
        ),
    ] = None
    critical_path: Annotated[
        bool,
        Option("--critical-path", help="What the longest chain of dependences is made of (takes memory)."),
    ] = False
    sweeps: Annotated[
        Texts, Option("--sweep", help="network.node.latency=1us..100us:9; two of them make a map.")
    ] = field(default_factory=list)
    sensitivity: Annotated[
        bool, Option("--sensitivity", help="Which fact, costing a tenth less time, buys most.")
    ] = False
    page: Annotated[
        Path | None, Option("--page", help="HTML file of a sweep (default: beside its JSON).")
    ] = None
    otf2: Annotated[
        Path | None,
        Option(
            "--otf2",
            metavar="FOLDER",
            help="Write what every rank does when as an OTF2 archive (takes memory).",
        ),
    ] = None
    timeline: Annotated[
        Path | None,
        Option("--timeline", metavar="FILE", help="HTML page of the replay over time (takes memory)."),
    ] = None
    jobs: Annotated[int | None, Option("--jobs", min=1, help="Replays at a time (default: the cores).")] = (
        None
    )
    share: Annotated[
        str | None,
        Option(
            "--share",
            metavar="K/N",
            help="Of a sweep or a sensitivity only part K of N, as a task of a job array; the line without it then has all.",
        ),
    ] = None
    submit: Annotated[
        int | None,
        Option(
            "--submit",
            metavar="N",
            min=1,
            help="Submit the parts of a sweep or a sensitivity as N jobs of the batch system; the line without it then has all.",
        ),
    ] = None
    dry_run: Annotated[bool, Option("--dry-run", help="With --submit: show the script; submit nothing.")] = (
        False
    )
    site: Annotated[Path | None, Option("--site", help="With --submit: the site file.")] = None
    results: Annotated[str | None, Option("--results", help="Results folder.")] = None
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False
