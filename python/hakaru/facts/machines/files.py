"""Reading, checking and writing machine files (TOML)."""

import json
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml, write_atomically
from hakaru.base.paths import root
from hakaru.facts.machines.tree import Tree, walk


def known_machines() -> dict[str, Path]:
    """Machine files that come with hakaru: name -> file."""
    return {path.stem: path for path in sorted((root() / "machines").glob("*.toml"))}


def resolve(name_or_file: str, results: Path) -> Path:
    """The file of a machine named by a path, by a known name, as ``here`` (the one probed into the results folder), or by the name by which
    it was collected into that folder."""
    if name_or_file == "here":
        return results / "machine.toml"
    if name_or_file in known_machines():
        return known_machines()[name_or_file]
    if Path(name_or_file).is_file():
        return Path(name_or_file)
    collected = {path.stem: path for path in sorted(results.glob("*.toml")) if path.stem != "machine"}
    if name_or_file in collected:
        return collected[name_or_file]
    names = ", ".join(["here", *collected, *known_machines()])
    raise UserError(
        f"there is no machine '{name_or_file}'", f"known are: {names}", "choose one of them or give a file"
    )


def load(path: str | Path) -> Tree:
    """The checked content of a machine file. Raises UserError when it is missing, not TOML or not a machine."""
    data = read_toml(Path(path), "machine file", "measure this machine with: hakaru probe")
    validate(data, str(path))
    return data


def validate(data: Tree, name: str = "this") -> None:
    """Raises UserError, which says the first problems, when a tree is no machine."""
    if found := problems(data):
        raise UserError(
            f"{name} is not a machine file", "; ".join(found[:3]), "see docs/reference/contracts.md"
        )


def problems(data: Tree) -> list[str]:
    """Problems of a machine tree in words; empty when there are none."""
    import jsonschema

    schema = json.loads((root() / "schema" / "machine.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    deepest = [jsonschema.exceptions.best_match([error]) for error in validator.iter_errors(data)]
    found = [
        f"{'.'.join(str(part) for part in error.absolute_path) or 'file'}: {error.message}"[:200]
        for error in deepest
    ]
    for path, entry in walk(data):
        low, high, value = entry.get("low"), entry.get("high"), entry["value"]
        if low is not None and high is not None and not low <= value <= high:
            found.append(f"{path}: the value {value} is outside its interval {low} to {high}")
    return found


def save(data: Tree, path: Path) -> None:
    """Writes a machine file atomically. Raises UserError when it cannot be written."""
    import tomli_w

    text = tomli_w.dumps(data).encode()
    write_atomically(path, lambda file: file.write(text))
