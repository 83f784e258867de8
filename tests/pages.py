"""The documents, and the command lines in them: which are run, and why others are not.

Commands stand in blocks ``sh``, one a line, or behind ``$ `` where a block shows their output as well. A comment in front of a block says
what is not run, or only by ``./hakaru test --all``, and a comment in front of a file's text names the file:

    <!-- not run: why -->     <!-- not run (lab, accuracy): why -->     <!-- long: why -->     <!-- file: sizes.toml -->

Words in parentheses choose the lines that have one of them.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.paths import root
from hakaru.own.setup.targets import leaves

BLOCK = re.compile(r"((?:^<!--[^\n]*-->\n)*)^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOTE = re.compile(r"<!-- (not run|long|file)(?: \(([^)]*)\))?: ([^\n]*?) -->")
NOT_RUN, LONG, FILE = "not run", "long", "file"


def documents() -> list[Path]:
    """What people read: everything under docs/, three files at the root, and the READMEs beside the code."""
    beside = [
        path
        for name in ("apps", "probes", "studies", "native", "bench")
        for path in (root() / name).rglob("README.md")
    ]
    named = [root() / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    return [
        path for path in [*named, *sorted((root() / "docs").rglob("*.md")), *sorted(beside)] if path.is_file()
    ]


def name_of(path: Path) -> str:
    return str(path.relative_to(root()))


@dataclass(frozen=True)
class Note:
    """A comment in front of a block; ``words`` choose lines, none: all."""

    kind: str
    words: tuple[str, ...]
    text: str

    def concerns(self, line: str) -> bool:
        return not self.words or not set(self.words).isdisjoint(words_of(line))


@dataclass(frozen=True)
class Line:
    """A command line of a page; ``notes`` say why it is not run, or not by every test."""

    text: str
    notes: tuple[Note, ...] = ()

    def noted(self, kind: str) -> str:
        """What the page says for this kind of note, or nothing."""
        return next((note.text for note in self.notes if note.kind == kind), "")


def words_of(line: str) -> list[str]:
    return shlex.split(line, comments=True)


def blocks(text: str) -> Iterator[tuple[list[Note], str, str]]:
    """(notes, language, what stands in it) of every fenced block."""
    for comments, language, body in BLOCK.findall(text):
        notes = [
            Note(kind, tuple(words.replace(",", " ").split()), why)
            for kind, words, why in NOTE.findall(comments)
        ]
        yield notes, language, body


def lines_of(text: str) -> list[Line]:
    """The command lines of a page."""
    found = []
    for notes, language, body in blocks(text):
        for line in body.splitlines():
            command = line if language == "sh" else line[2:] if line.startswith("$ ") else ""
            if command and words_of(command):
                found.append(Line(command, tuple(note for note in notes if note.concerns(command))))
    return found


def files_of(text: str) -> dict[str, str]:
    """Files whose text a page shows, by name."""
    return {note.text: body for notes, _, body in blocks(text) for note in notes if note.kind == FILE}


LEAF = re.compile(rf"(?:\S*/)?({'|'.join(leaves())})")
OUTSIDE = re.compile(
    r"(?:sudo |[A-Z_]+=\S+ )*(?:(?:\./)?hakaru [a-z]|mpirun |taskset "
    rf"|{LEAF.pattern} (?:run|verify|schedule|describe) )"
)


def outside(text: str) -> list[str]:
    """Command lines in blocks of another language, or indented, where no test would find them."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if line.startswith("    ")]
    lines += [line for _, language, body in blocks(text) if language != "sh" for line in body.splitlines()]
    return [line.strip() for line in lines if OUTSIDE.match(line.strip())]


def idle_notes(text: str) -> list[Note]:
    """Notes that concern no line of their block, and comments in front of a block that nobody can read."""
    return [
        note
        for notes, _, body in blocks(text)
        for note in notes
        if note.kind != FILE and not any(note.concerns(line) for line in body.splitlines() if line)
    ]


@dataclass(frozen=True)
class LeafCall:
    """A call of an app or a probe: ``build/release/bin/heat run n=64 --preset small`` after launchers."""

    program: str
    command: str
    ranks: int
    words: tuple[str, ...]


def leaf_call(line: str) -> LeafCall | None:
    """The call of one of our programs that a command line makes; None when it makes none."""
    words = words_of(line)
    place = next((at for at, word in enumerate(words) if "/" in word and LEAF.fullmatch(word)), None)
    if place is None or "hakaru" in line.split("/bin/")[0] or place + 1 >= len(words):
        return None
    ranks = int(words[words.index("-n") + 1]) if "-n" in words[:place] else 1
    match = LEAF.fullmatch(words[place])
    return LeafCall(match[1], words[place + 1], ranks, tuple(words[place + 2 :]))
