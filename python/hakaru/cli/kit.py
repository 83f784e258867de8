"""``hakaru kit``: probes and tracer as plain sources for a machine where nothing can be installed."""

from pathlib import Path

import typer

targets = ()


def register(app: typer.Typer) -> None:
    app.command("kit")(kit)


def kit(
    names: list[str] = typer.Argument(None, help="Probes that it holds (default: all)."),
    output: Path = typer.Option(
        None, "--output", "-o", help="The archive (default hakaru-kit-VERSION.tar.gz)."
    ),
    site: Path = typer.Option(
        None, "--site", help="Site file for the job scripts; without it scripts for every known batch system."
    ),
    nodes: int = typer.Option(1, "--nodes", min=1, help="Nodes of the job that runs the probes."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Write one archive of plain sources that need a C++ compiler, MPI and make: copy it there, then tar x; make; sbatch probe.job."""
    from hakaru.base.output import print_json
    from hakaru.run.batch.site import Site
    from hakaru.run.kit.make import contents, name_of_kit, write

    files = contents(Site.read(site) if site else None, nodes, names or None)
    path = output or Path(f"{name_of_kit()}.tar.gz")
    size = write(path, files)
    if as_json:
        print_json({"file": str(path), "bytes": size, "files": len(files)})
        return
    print(f"{path}: {len(files)} files, {size / 1e6:.2f} MB")
    print(f"there: tar xf {path.name}; cd {name_of_kit()}; make -j 8; sbatch probe.job; make pack")
    print("here again: tar xf home.tar; hakaru collect results")
