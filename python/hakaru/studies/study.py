"""A study's folder: ``study.toml`` (what to run), ``published.toml`` (copied facts), ``README.md``; read and checked."""

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.base.paths import root

FILES = ("study.toml", "published.toml", "README.md")


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
    """``settings``: the table of study.toml that its ``kind`` reads; ``programs``: what is run."""

    name: str
    folder: Path
    title: str
    publication: str
    question: str
    kind: str
    programs: tuple[dict[str, Any], ...]
    settings: dict[str, Any]
    published: Published


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
    _check_section(folder / "study.toml", data)
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
        data["kind"],
        tuple(data["programs"]),
        data[data["kind"]],
        Published(facts["title"], tables),
    )


def _checked(path: Path, schema: Path) -> dict[str, Any]:
    data = read_toml(path, "file")
    _check(path, data, schema)
    return data


def _check_section(path: Path, data: dict[str, Any]) -> None:
    """The one section of a study, named as its kind, against the schema beside the kind's module."""
    kind = data["kind"]
    schema = Path(__file__).parent / "kinds" / f"{kind}.schema.json"
    if not schema.is_file():
        known = sorted(one.name.partition(".")[0] for one in schema.parent.glob("*.schema.json"))
        raise UserError(
            f"there is no kind of study '{kind}'", f"known are: {', '.join(known)}", f"mend {path}"
        )
    if kind not in data:
        raise UserError(f"{path} is damaged", f"it has no section [{kind}]", "see docs/studies.md")
    _check(path, data[kind], schema, kind)


def _check(path: Path, data: dict[str, Any], schema: Path, section: str = "") -> None:
    import jsonschema

    errors = list(jsonschema.Draft202012Validator(json.loads(schema.read_text())).iter_errors(data))
    if not errors:
        return
    error = jsonschema.exceptions.best_match(errors)
    steps = [section, *(str(part) for part in error.absolute_path)]
    where = ".".join(step for step in steps if step) or "the file"
    raise UserError(f"{path} is damaged", f"{where}: {error.message[:200]}", "see docs/studies.md")
