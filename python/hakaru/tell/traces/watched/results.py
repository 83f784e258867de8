"""The profile and the use of files of one trace: made from its raw files, kept in its folder, read again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_atomically, write_json_atomically
from hakaru.facts.traces.file_use import FileUse
from hakaru.facts.traces.profile import Profile
from hakaru.run.tracing.file_use import file_use
from hakaru.run.tracing.profile import profile

PROFILE, FILES, PAGE = "profile.json", "files.json", "profile.html"


@dataclass
class Watched:
    """``problems``: what could not be made, with why; the raw files stay then."""

    profile: Profile | None = None
    files: FileUse | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def anything(self) -> bool:
        return self.profile is not None or self.files is not None

    def keep(self, folder: Path) -> Path:
        """Writes the two documents and their page; the page's path. Raises UserError."""
        from hakaru.tell.traces.watched.watched_page import page

        if self.profile:
            write_json_atomically(folder / PROFILE, self.profile.as_dict())
        if self.files:
            write_json_atomically(folder / FILES, self.files.as_dict())
        text = page(self, folder.name).encode()
        write_atomically(folder / PAGE, lambda file: file.write(text))
        return folder / PAGE

    def as_dict(self) -> dict[str, Any]:
        return {
            "profile": self.profile.as_dict() if self.profile else None,
            "files": self.files.as_dict() if self.files else None,
        }


def made(raw: Path) -> Watched:
    """From the raw files of a run."""
    found = Watched()
    for what, make in (("profile", profile), ("files", file_use)):
        try:
            setattr(found, what, make(raw))
        except UserError as error:
            found.problems.append(str(error))
    return found


def read(folder: Path) -> Watched:
    """What an earlier run kept; nothing where nothing is. Raises UserError when a file is damaged."""
    return Watched(_kept(folder / PROFILE, Profile.read), _kept(folder / FILES, FileUse.read))


def _kept(path: Path, reader: Callable[[bytes], Any]) -> Any:
    if not path.is_file():
        return None
    try:
        return reader(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read", str(error), "trace the run again", ENVIRONMENT) from None


def write_folded(found: Watched, path: Path) -> None:
    """Stacks as flame graph tools read them. Raises UserError without a profile, or when the file cannot be written."""
    if found.profile is None:
        raise UserError("there are no stacks to write", "this trace has no profile", "trace with --profile")
    text = "".join(f"{line}\n" for line in found.profile.folded()).encode()
    write_atomically(path, lambda file: file.write(text))
