"""The reference of the command line, from what each command says of itself."""

from collections.abc import Iterator
from typing import Any

from hakaru.tell.documents.markdown import code, listing, plain, table

FOLDER = "reference/commands"


def every(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """(words, command) of a command and of those below it."""
    yield name, command
    for word, below in sorted(getattr(command, "commands", {}).items()):
        yield from every(below, f"{name} {word}")


def pages(root: Any) -> Iterator[tuple[str, str]]:
    """A page for each command, those below it included, and the list of all."""
    names = sorted(root.commands)
    yield (
        f"{FOLDER}/index.md",
        listing("Commands", "What `hakaru NAME --help` says, for every command.", names),
    )
    for name in names:
        parts = [described(words, one) for words, one in every(root.commands[name], f"hakaru {name}")]
        yield f"{FOLDER}/{name}.md", "\n".join(parts)


def described(words: str, command: Any) -> str:
    """A command: what it does, how it is written, its arguments and options."""
    level = "#" * (len(words.split()) - 1)
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    usage = [words, "[OPTIONS]" if len(arguments) < len(command.params) else "", *map(_argument, arguments)]
    usage += ["COMMAND"] if hasattr(command, "commands") else []
    rows = [_row(one) for one in command.params if not getattr(one, "hidden", False)]
    written = f"```\n{' '.join(word for word in usage if word)}\n```\n"
    return f"{level} {words}\n\n{plain(command.help or '')}\n\n{written}\n{table(COLUMNS, rows)}\n"


COLUMNS = ("argument or option", "meaning", "default")


def _argument(one: Any) -> str:
    name = one.metavar or one.name.upper()
    return name if one.required else f"[{name}]"


def _row(one: Any) -> tuple[str, str, str]:
    argument = one.param_type_name == "argument"
    names = [one.metavar or one.name.upper()] if argument else [*one.opts, *one.secondary_opts]
    default = one.default
    shown = "required" if one.required else "" if default in (None, False, True, ()) else code(default)
    return ", ".join(code(name) for name in names), plain(getattr(one, "help", "") or ""), shown
