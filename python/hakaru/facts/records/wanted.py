"""What is asked of records in short, and the answer."""

from typing import NamedTuple

from hakaru.facts.records.entry import Entry


class Read(NamedTuple):
    """What a file says: an entry, or the reason why it says none."""

    entry: Entry | None
    reason: str | None


class Wanted(NamedTuple):
    """Which entries: of one program, of one status, from a day to a day, of a commit that begins so; the ``newest`` of them by name."""

    program: str | None = None
    status: str | None = None
    first: str = ""
    last: str = "9999-12-31"
    commit: str = ""
    newest: int | None = None

    def fits(self, entry: Entry) -> bool:
        return (
            self.program in (None, entry.program)
            and self.status in (None, entry.status)
            and self.first <= entry.date <= self.last
            and entry.commit.startswith(self.commit)
        )

    def where(self) -> tuple[str, list[str]]:
        """The same for SQLite: a condition and its values."""
        after = self.commit[:-1] + chr(ord(self.commit[-1]) + 1) if self.commit else ""
        tests = (
            ("program = ?", self.program),
            ("status = ?", self.status),
            ("day >= ?", self.first),
            ("day <= ?", self.last if self.last != Wanted().last else None),
            ("hash >= ?", self.commit),
            ("hash < ?", after),
        )
        used = [(test, value) for test, value in tests if value]
        return " AND ".join(["1", *(test for test, _ in used)]), [value for _, value in used]


ALL = Wanted()


class Answer(NamedTuple):
    """Entries and damaged files, both by the name of the file, in its order. ``total``: of the entries that fit, of which the newest are given."""

    entries: dict[str, Entry]
    damaged: dict[str, str]
    total: int


def answer_of(entries: dict[str, Entry], damaged: dict[str, str], wanted: Wanted) -> Answer:
    """In the order of the names; only the newest, where these are wanted."""
    names = sorted(entries)
    chosen = names if wanted.newest is None else names[len(names) - min(wanted.newest, len(names)) :]
    return Answer({name: entries[name] for name in chosen}, dict(sorted(damaged.items())), len(names))
