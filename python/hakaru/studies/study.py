"""A study's folder: ``study.toml`` (what to run), ``published.toml`` (copied facts), its analysis and ``README.md``; read and checked."""

import difflib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.base.paths import root
from hakaru.studies.evidence import Basis

FILES = ("study.toml", "published.toml", "README.md", "analysis.py", "analysis.schema.json")


@dataclass(frozen=True)
class Published:
    """The tables of ``published.toml``."""

    title: str
    tables: dict[str, dict[str, Any]]

    def table(self, table: str) -> dict[str, Any]:
        if table not in self.tables:
            raise UserError(
                f"published.toml has no table '{table}'",
                f"it has {', '.join(self.tables)}",
                "mend study.toml",
            )
        return self.tables[table]

    def row(self, table: str, key: str, value: str) -> dict[str, Any]:
        """The row of a table whose ``key`` is ``value``. Raises UserError when there is none."""
        for row in self.table(table)["rows"]:
            if row.get(key) == value:
                return row
        raise UserError(f"table '{table}' of published.toml has no {key} '{value}'", "", "mend study.toml")

    def number(self, table: str, key: str, value: str, column: str) -> float:
        found = self.row(table, key, value).get(column)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise UserError(
                f"table '{table}' of published.toml has no number '{column}' for {value}",
                f"it says {found!r}" if found is not None else "the column is missing there",
                "mend published.toml",
            )
        return float(found)


@dataclass(frozen=True)
class Study:
    """``settings``: the section ``analysis`` of study.toml, which the study's own analysis reads; ``programs``: what is run; ``basis``: what its
    evidence rests on."""

    name: str
    folder: Path
    title: str
    publication: str
    question: str
    programs: tuple[dict[str, Any], ...]
    settings: dict[str, Any]
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
    schemas = root() / "schema"
    data = _checked(folder / "study.toml", schemas / "study.schema.json")
    _check(folder / "study.toml", data["analysis"], folder / "analysis.schema.json", "analysis")
    facts = _checked(folder / "published.toml", schemas / "published.schema.json")
    if data["name"] != folder.name:
        raise UserError(
            f"{folder / 'study.toml'} is of the study '{data['name']}'",
            f"its folder is {folder.name}",
            "give both the same name",
        )
    tables = {table["id"]: table for table in facts["table"]}
    if len(tables) < len(facts["table"]):
        raise UserError(f"{folder / 'published.toml'} has two tables of one id", "", "rename one of them")
    return Study(
        data["name"],
        folder,
        data["title"],
        data["publication"],
        data["question"],
        tuple(data["programs"]),
        data["analysis"],
        Published(facts["title"], tables),
        Basis.of(data),
    )


def _checked(path: Path, schema: Path) -> dict[str, Any]:
    data = read_toml(path, "file")
    _check(path, data, schema)
    return data


def _check(path: Path, data: dict[str, Any], schema: Path, section: str = "") -> None:
    import jsonschema

    errors = list(jsonschema.Draft202012Validator(json.loads(schema.read_text())).iter_errors(data))
    if not errors:
        return
    error = jsonschema.exceptions.best_match(errors)
    steps = [section, *(str(part) for part in error.absolute_path)]
    where = ".".join(step for step in steps if step) or "the file"
    raise UserError(f"{path} is damaged", f"{where}: {error.message[:200]}", "see docs/how-to/studies.md")
