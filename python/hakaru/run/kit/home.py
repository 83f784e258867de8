"""What came home from a kit: its folder, read and checked. Nothing is written here, and nothing of the folder is changed or removed."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.records import Record
from hakaru.facts.records.record import SCHEMA as RECORD
from hakaru.facts.traces.layout import RUNNING, VERSION
from hakaru.facts.traces.raw import RawFile, raw_files
from hakaru.run.kit.about import FILE, SCHEMA, About

CHECKSUMS, LEFT_OUT, WITHOUT_RECORD = "checksums", "left_out.txt", "without_record.txt"
AGAIN = "bring it home again"


@dataclass
class Home:
    """``folder``: the results of a kit. ``problems``: (file, why), of what is damaged or did not come home."""

    folder: Path
    about: About
    problems: list[tuple[Path, str]] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Of the kit's folder or of its results. Raises UserError for what is none, or of another version."""
        places = [folder / "results", folder]
        results = next((place for place in places if (place / FILE).is_file() and _has_results(place)), None)
        if results is None:
            raise UserError(
                f"{folder} holds no results of a kit",
                f"there is no {FILE} beside records/ or traces/",
                "give the folder that came home (results of the kit)",
            )
        found = cls(results, _about(results / FILE))
        found._compare_checksums()
        return found

    def records(self) -> list[Record]:
        """The whole ones, by their ids; the others are among the problems."""
        found = []
        for path in sorted((self.folder / "records").glob("*.json")):
            if self._is_bad(path):
                continue
            try:
                record = Record.read(path)
            except (OSError, ValueError) as error:
                self.problems.append((path, f"it is no whole record: {error}"))
                continue
            if record.id == path.stem:
                found.append(record)
            else:
                self.problems.append((path, f"it holds the record {record.id}"))
        return found

    def traces(self) -> list[Path]:
        """Folders of the whole traces; the others are among the problems."""
        found = []
        for folder in sorted((self.folder / "traces").glob("*")):
            if not (folder / "raw").is_dir() or any(
                self._is_bad(path) for path in (folder / "raw").iterdir()
            ):
                continue
            if why := fault_of_trace(folder / "raw"):
                self.problems.append((folder, why))
            else:
                found.append(folder)
        return found

    def left_out(self) -> list[str]:
        return _lines(self.folder / LEFT_OUT)

    def without_record(self) -> list[str]:
        """``ID STATUS`` of runs that left no record."""
        return _lines(self.folder / WITHOUT_RECORD)

    def _is_bad(self, path: Path) -> bool:
        return any(path == one for one, _ in self.problems)

    def _compare_checksums(self) -> None:
        """The last sum of a file counts."""
        lines = [line.partition("  ") for line in _lines(self.folder / CHECKSUMS)]
        for name, wanted in {name: digest for digest, _, name in lines if name}.items():
            path = self.folder / name
            if ".." in Path(name).parts or path.is_absolute() and not path.is_relative_to(self.folder):
                continue
            if not path.is_file():
                self.problems.append((path, "it did not come home"))
            elif digest_of([path]) != wanted:
                self.problems.append((path, "it is not as it was written there (truncated on its way?)"))


def fault_of_trace(raw: Path) -> str | None:
    """Why the raw files of a run are no whole trace: a rank is missing, a file is truncated, or of another version."""
    try:
        files = raw_files(raw)
        known = {file.path for file in files}
        if headless := [path.name for path in sorted(raw.glob("*.hkr")) if path not in known]:
            return f"{headless[0]} does not begin as a raw trace does (truncated on its way?)"
        if not files:
            return "no rank was recorded"
        cut = next((file for file in files if _is_cut(file)), None)
    except UserError as error:
        return str(error)
    if cut:
        return f"{cut.path.name} ends at byte {cut.path.stat().st_size:,}, its records at {cut.header.records_end:,} (truncated on its way?)"
    own = {file.header.rank for file in files if not file.header.spawned}
    size = max((file.header.world_size for file in files if not file.header.spawned), default=0)
    missing = [rank for rank in range(size) if rank not in own]
    if missing:
        return f"rank {missing[0]} of {size} is missing" + (
            f", and {len(missing) - 1} more" if missing[1:] else ""
        )
    return None


def digest_of(paths: list[Path]) -> str:
    """SHA-256 of the files one after the other. Raises UserError when one cannot be read."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            with open(path, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise UserError(f"cannot read {path}", str(error.strerror), AGAIN, ENVIRONMENT) from None
    return digest.hexdigest()


def _is_cut(file: RawFile) -> bool:
    return file.header.status != RUNNING and file.header.records_end > file.path.stat().st_size


def _has_results(place: Path) -> bool:
    return (place / "records").is_dir() or (place / "traces").is_dir()


def _about(path: Path) -> About:
    try:
        tree = msgspec.json.decode(path.read_bytes())
        written = tree.get("schema") if isinstance(tree, dict) else None
        if isinstance(written, str) and written != SCHEMA:
            raise _other_version(path, written, SCHEMA)
        found = msgspec.convert(tree, About)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path} cannot be read", str(error), AGAIN, ENVIRONMENT) from None
    for own, its in ((RECORD, found.record), (f"raw trace {VERSION}", f"raw trace {found.raw}")):
        if own != its:
            raise _other_version(path, its, own)
    return found


def _other_version(path: Path, its: str, own: str) -> UserError:
    return UserError(
        f"{path.parent} was written by a kit of another version",
        f"it holds {its}, and this hakaru reads {own}",
        "collect it with the hakaru that made the kit; nothing was changed",
    )


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
