"""The loops: a file each, ``loops/CLASS/NAME.toml``, with its body in C and in Fortran, which do the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

import msgspec

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.facts.strict import Strict
from hakaru.facts.values import Words

FOLDER = Path(__file__).parent
SOURCE = {"c": "loop.c", "fortran": "loop.f90"}


class Bodies(Strict):
    """``programs/loop.c.in`` and ``loop.f90.in`` say what they may use; ``about`` says what the loop is."""

    about: Words
    c: Words
    fortran: Words


@dataclass(frozen=True)
class Loop:
    kind: str
    name: str
    bodies: Bodies

    def source(self, language: str) -> dict[str, str]:
        file = SOURCE[language]
        template = Template((FOLDER / "programs" / f"{file}.in").read_text())
        body = getattr(self.bodies, language)
        return {file: template.substitute(body="".join(f"  {line}\n" for line in body.strip().splitlines()))}


def loops(folder: Path = FOLDER / "loops") -> Iterator[Loop]:
    """All, by class and name. Raises UserError for a file that is damaged."""
    for path in sorted(folder.glob("*/*.toml")):
        try:
            yield Loop(path.parent.name, path.stem, msgspec.convert(read_toml(path, "loop"), Bodies))
        except msgspec.ValidationError as error:
            raise UserError(f"{path} is no loop", str(error), "say about, c and fortran") from None
