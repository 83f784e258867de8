"""A study's folder: ``study.toml`` (what to run), ``published.toml`` (copied facts), its analysis and ``README.md``; read and checked."""

import difflib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.base.paths import root
from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.studies.analyses import ANALYSIS, part
from hakaru.studies.entry import Entry
from hakaru.studies.evidence import Basis, Parameter
from hakaru.studies.published import Published

FILES = ("study.toml", "published.toml", "README.md", f"{ANALYSIS}.py")
SEE = "see docs/how-to/studies.md"

Settings = TypeVar("Settings")
File = TypeVar("File", bound=Strict)


class Given(Strict, omit_defaults=True):
    """A published number that goes in as it is, and the rows that it was made from."""

    name: Words
    source: Words
    made_from: tuple[Words, ...] = ()


class StudyFile(Strict, omit_defaults=True):
    """``study.toml`` (schema/study.schema.json); ``analysis`` is for the study's own analysis."""

    schema: Literal["hakaru/study/2"]
    name: Annotated[str, Meta(pattern=r"^[a-z0-9_-]+$")]
    title: Words
    publication: Words
    question: Words
    predictions: tuple[Words, ...]
    analysis: dict[str, Any]
    programs: tuple[Entry, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    given: tuple[Given, ...] = ()

    @property
    def basis(self) -> Basis:
        return Basis(self.parameters, {one.name: one.made_from for one in self.given}, self.predictions)


@dataclass(frozen=True)
class Study(Generic[Settings]):
    """``settings``: the section ``analysis`` of study.toml as the ``Settings`` of the study's own analysis; ``programs``: what is run;
    ``basis``: what its evidence rests on."""

    name: str
    folder: Path
    title: str
    publication: str
    question: str
    programs: tuple[Entry, ...]
    settings: Settings
    published: Published
    basis: Basis = field(default_factory=Basis)


def known_studies() -> dict[str, Path]:
    """Folders of studies that come with hakaru, without the template."""
    return {
        path.name: path
        for path in sorted((root() / "studies").glob("*"))
        if path.is_dir() and not path.name.startswith("_")
    }


def load(name: str) -> Study:
    """The study of that name. Raises UserError naming the known ones."""
    known = known_studies()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise UserError(
            f"there is no study '{name}'",
            f"known are: {', '.join(known)}",
            f"did you mean {near[0]}?" if near else "choose one of them",
        )
    return load_folder(known[name])


def load_folder(folder: Path) -> Study:
    """The study of a folder. Raises UserError for a file that is missing, damaged, or against its schema."""
    for name in FILES:
        if not (folder / name).is_file():
            raise UserError(
                f"the study {folder.name} has no {name}",
                f"{folder} lacks it",
                "copy it from studies/_template",
            )
    file = _read(folder / "study.toml", "study", StudyFile)
    published = _read(folder / "published.toml", "published", Published)
    if file.name != folder.name:
        raise UserError(
            f"{folder / 'study.toml'} is of the study '{file.name}'",
            f"its folder is {folder.name}",
            "give both the same name",
        )
    if len({table.id for table in published.tables}) < len(published.tables):
        raise UserError(f"{folder / 'published.toml'} has two tables of one id", "", "rename one of them")
    return Study(
        file.name,
        folder,
        file.title,
        file.publication,
        file.question,
        file.programs,
        _settings(folder, file.analysis),
        published,
        file.basis,
    )


def _settings(folder: Path, section: object) -> Any:
    """The section as the ``Settings`` of the study's analysis."""
    try:
        return msgspec.convert(section, part(folder).Settings)
    except msgspec.ValidationError as error:
        raise UserError(f"{folder / 'study.toml'} is damaged", f"analysis: {error}", SEE) from None


def _read(path: Path, schema: str, kind: type[File]) -> File:
    data = read_toml(path, "file")
    _check(path, data, root() / "schema" / f"{schema}.schema.json")
    return msgspec.convert(data, kind)


def _check(path: Path, data: object, schema: Path) -> None:
    import jsonschema

    errors = list(jsonschema.Draft202012Validator(json.loads(schema.read_text())).iter_errors(data))
    if not errors:
        return
    error = jsonschema.exceptions.best_match(errors)
    where = ".".join(str(part) for part in error.absolute_path) or "the file"
    raise UserError(f"{path} is damaged", f"{where}: {error.message[:200]}", SEE)
