"""What a program says of itself, for people."""

from hakaru.base import units
from hakaru.base.tables import print_table
from hakaru.facts.description import Description, Parameter
from hakaru.facts.programs import Program


def show(program: Program, described: Description) -> None:
    print(f"{described.name} ({described.kind}): {described.title}")
    if described.parameters:
        columns = ["parameter", "default", "range", "unit", "meaning"]
        print_table("", columns, [_row(one) for one in described.parameters])
    _show_layouts(program, described)
    work = described.evaluated
    if work.refused:
        print(f"On {work.ranks} x {work.threads} it does not run: {work.refused}.")
    if work.size is not None:
        print(f"Size N = {work.size:g}" + (f" ({work.size_meaning})" if work.size_meaning else ""))
    if work.memory_bytes:
        print(f"Memory: {units.capacity(work.memory_bytes)} on all ranks together.")
    print("Phases: " + ", ".join(f"{phase.name} ({phase.kind})" for phase in described.phases))
    for metric in described.metrics:
        print(f"Figure of merit: {metric.name} in {metric.unit}, {metric.better} is better.")


def _row(one: Parameter) -> list[str]:
    if one.choices:
        span = ", ".join(one.choices)
    elif one.minimum is None and one.maximum is None:
        span = ""
    else:
        low, high = ("" if end is None else f"{end:g}" for end in (one.minimum, one.maximum))
        span = f"{low} to {high}".strip()
    return [one.name, str(one.default), span, one.unit, one.help]


def _show_layouts(program: Program, described: Description) -> None:
    if program.brings_launcher:
        file = program.file
        print(f"Starts: {file.command}")
        print(f"In {file.folder or 'the folder where you stand'}; ranks: {file.ranks}")
        return
    limits = described.limits
    most = [f"at most {units.count(limits.ranks, 'rank')}" if limits.ranks else "any number of ranks"]
    most += [
        f"at most {units.count(limits.threads, 'thread')} each" if limits.threads else "any number of threads"
    ]
    print(f"Layouts: {', '.join(most)}; presets: {', '.join(one.name for one in described.presets)}")
