"""Headers of other libraries that a kit carries, from where this machine's compiler finds them, with their licences."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.own.setup.needs import include_folders

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
DOCUMENTS = Path("/usr/share/doc")


@dataclass(frozen=True)
class Bundled:
    """Headers of a ``folder`` that hakaru's sources include, and what these include of the same folder. ``package`` of Debian."""

    folder: str
    package: str
    whole: tuple[str, ...] = ()  # folders that are taken whole: their files are included by macros


BUNDLED = (
    Bundled("fmt", "libfmt-dev"),
    Bundled("nlohmann", "nlohmann-json3-dev"),
    Bundled("hwy", "libhwy-dev", ("hwy/ops",)),
)


def headers(library: Bundled, sources: Iterable[bytes]) -> dict[str, bytes]:
    """``include/...`` -> content, of what these sources come to include, and its licence. Raises UserError when it is not installed here."""
    included = {name for text in sources for name in INCLUDE.findall(text.decode())}
    wanted = sorted(name for name in included if name.startswith(f"{library.folder}/"))
    if not wanted:
        return {}
    base = next((one for one in include_folders() if (one / wanted[0]).is_file()), None)
    if base is None:
        raise UserError(
            f"a kit cannot be written without the headers of {library.folder}",
            f"{wanted[0]} was found in none of {', '.join(map(str, include_folders()))}",
            f"sudo apt-get install {library.package}",
            ENVIRONMENT,
        )
    whole = [
        str(path.relative_to(base)) for name in library.whole for path in sorted((base / name).glob("*"))
    ]
    found: dict[str, bytes] = {}
    waiting = [*wanted, *whole]
    while waiting:
        name = waiting.pop()
        path = base / name
        key = f"include/{name}"
        if key in found or not path.is_file():
            continue
        found[key] = path.read_bytes()
        folder = Path(name).parent
        for text in INCLUDE.findall(found[key].decode(errors="replace")):
            waiting += [text] if text.startswith(f"{library.folder}/") else [str(folder / text)]
    licence = DOCUMENTS / library.package / "copyright"
    if licence.is_file():
        found[f"licences/{library.folder}.txt"] = licence.read_bytes()
    return found
