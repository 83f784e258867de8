"""The reference of apps and probes: what each says of itself, and its README."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hakaru.base.paths import root
from hakaru.facts import programs
from hakaru.facts.description import Description, Parameter
from hakaru.tell.documents.links import Page, moved
from hakaru.tell.documents.markdown import code, listing, plain, section, table

FOLDER = "reference/leaves"


def place(name: str) -> str:
    return f"{FOLDER}/{name}.md"


def readmes() -> list[Path]:
    return sorted((root() / "apps").glob("[!_]*/README.md")) + sorted(
        (root() / "probes").glob("[!_]*/README.md")
    )


def pages(written: Sequence[Page]) -> Iterator[tuple[str, str]]:
    """A page for each built app and probe, its README before its tables, and the list of all."""
    built = programs.known()
    names = [program.name for program in built]
    yield f"{FOLDER}/index.md", listing("Apps and probes", "Every program that hakaru has.", names)
    readme = {page.path: page for page in written}
    for program in built:
        page = readme.get(program.source / "README.md")
        about = re.sub(r"^(#+ )", r"#\1", moved(page, written), flags=re.MULTILINE) if page else ""
        leaf = program.describe()
        yield place(program.name), f"{heading(leaf)}\n{about}\n{described(leaf)}"


def heading(leaf: Description) -> str:
    """Its name, what it is, and the largest layout that it runs on."""
    ranks, threads = _most(leaf.limits.ranks, "rank"), _most(leaf.limits.threads, "thread")
    return f"# {leaf.name}\n\n{plain(leaf.title)} ({leaf.kind}; {ranks}, {threads})\n"


def _most(number: int | None, what: str) -> str:
    return f"any number of {what}s" if number is None else f"{number} {what}{'s' if number > 1 else ''}"


def described(leaf: Description) -> str:
    """Parameters, presets, phases, metrics and tables of a program."""
    return "".join(
        (
            section("Parameters", table(PARAMETERS, map(parameter, leaf.parameters))),
            section("Presets", table(("preset", "meaning", "sets"), map(_preset, leaf.presets))),
            section("Phases", table(("phase", "kind", "meaning"), map(_phase, leaf.phases))),
            section("Metrics", table(("metric", "unit", "meaning"), map(_metric, leaf.metrics))),
            section("Tables", table(("table", "columns", "meaning"), map(_table, leaf.tables))),
        )
    )


PARAMETERS = ("parameter", "default", "unit", "values", "meaning")


def parameter(one: Parameter) -> tuple[str, ...]:
    values = ", ".join(map(code, one.choices))
    if one.minimum is not None and one.maximum is not None:
        values = f"{one.minimum:,.10g} to {one.maximum:,.10g}"
    default = str(one.default).lower() if isinstance(one.default, bool) else one.default
    return code(one.name), code(default), plain(one.unit), values or one.type, plain(one.help)


def _preset(one) -> tuple[str, ...]:
    sets = " ".join(code(word) for word in programs.assignments(one.values))
    return code(one.name), plain(one.help), sets


def _phase(one) -> tuple[str, ...]:
    return plain(one.name), one.kind, plain(one.help)


def _metric(one) -> tuple[str, ...]:
    return code(one.name), plain(one.unit), plain(one.help)


def _table(one) -> tuple[str, ...]:
    columns = ", ".join(f"{plain(column.name)} ({plain(column.unit)})" for column in one.columns)
    return code(one.name), columns, plain(one.help)
