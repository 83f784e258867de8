"""Headers of other libraries that a kit carries, from where this machine's compiler finds them, with their licences."""

import re
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.own.setup.needs import include_folders

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
DOCUMENTS = Path("/usr/share/doc")


@dataclass(frozen=True)
class Bundled:
    """``roots``: headers that hakaru's sources include; what these include of the same ``folder`` comes along. ``package`` of Debian."""

    folder: str
    roots: tuple[str, ...]
    package: str
    targets: tuple[str, ...] = ()  # folders that are taken whole: their files are included by macros


BUNDLED = (
    Bundled("fmt", ("fmt/format.h", "fmt/format-inl.h", "fmt/ranges.h"), "libfmt-dev"),
    Bundled("nlohmann", ("nlohmann/json.hpp", "nlohmann/json_fwd.hpp"), "nlohmann-json3-dev"),
    Bundled(
        "hwy",
        ("hwy/highway.h", "hwy/cache_control.h", "hwy/contrib/math/math-inl.h"),
        "libhwy-dev",
        ("hwy/ops",),
    ),
)


def headers(library: Bundled) -> dict[str, bytes]:
    """``include/...`` -> content, and its licence. Raises UserError when it is not installed here."""
    base = next((one for one in include_folders() if (one / library.roots[0]).is_file()), None)
    if base is None:
        raise UserError(
            f"a kit cannot be written without the headers of {library.folder}",
            f"{library.roots[0]} was found in none of {', '.join(map(str, include_folders()))}",
            f"sudo apt-get install {library.package}",
            ENVIRONMENT,
        )
    own = [
        str(path.relative_to(base)) for name in library.targets for path in sorted((base / name).glob("*"))
    ]
    found: dict[str, bytes] = {}
    waiting = [*library.roots, *own]
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
