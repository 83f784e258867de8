"""What hakaru has to be told of a site: its batch system, account, partition, nodes, modules, limits (site.toml, schema/site.schema.json)."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Count, Positive, Seconds

SCHEMA = "hakaru/site/1"
GUIDE = "docs/how-to/clusters.md says what may be written"
PLAIN = re.compile(r"[A-Za-z0-9_.,:/@%+=\[\]-]*")  # of words that stand in scripts and command lines
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Site(Strict, kw_only=True):
    """``name``: of the machine whose nodes run the jobs. Words are as the batch system's own options take them; times in s. ``cores``,
    ``threads_of_core``: of a node. ``across``: options of a job that put its nodes on different switches."""

    system: Annotated[str, Meta(min_length=1)]
    name: str = ""
    cores: AtLeastOne
    schema: Literal["hakaru/site/1"] = SCHEMA
    threads_of_core: AtLeastOne = 1
    launcher: str = ""
    bound: bool = True
    account: str = ""
    partition: str = ""
    longest_s: Positive = 3600.0
    margin_s: Seconds = 60.0
    late_s: Seconds = 60.0
    most_nodes: AtLeastOne = 1
    most_tasks: AtLeastOne = 100
    at_once: Count = 0
    exclusive: bool = True
    options: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    meter: str = ""
    machine: str = ""
    across: tuple[str, ...] = ()

    @property
    def spread(self) -> "Site":
        """The same site for jobs whose nodes hang on different switches."""
        return msgspec.structs.replace(self, options=self.options + self.across, across=())

    @classmethod
    def read(cls, path: Path) -> "Site":
        """Raises UserError for what is no site file, with the line of the file where it can be told."""
        tree = read_toml(
            path, "site file", "write one (docs/how-to/clusters.md), or name it with --site FILE"
        )
        try:
            found = msgspec.convert(tree, cls)
        except msgspec.ValidationError as error:
            raise UserError(f"{path} is no site file", str(error), GUIDE) from None
        found.require_sound(str(path))
        return found

    def require_sound(self, origin: str) -> None:
        """Raises UserError for a word that a shell or a batch system could take for more than a word."""
        words = [
            ("name", self.name),
            ("account", self.account),
            ("partition", self.partition),
            ("launcher", self.launcher),
        ]
        words += [("options", word) for word in self.options] + [("modules", word) for word in self.modules]
        words += [("across", word) for word in self.across]
        for name, word in words:
            if not PLAIN.fullmatch(word):
                strange = next(one for one in word if not PLAIN.fullmatch(one))
                raise UserError(
                    f"{origin}: {name} holds {strange!r}, in {word!r}",
                    "it goes into job scripts and command lines, where a shell could take it for a command",
                    "use letters, digits and _ . , : / @ % + = [ ] - only",
                )
        for name, value in self.environment.items():
            if not VARIABLE.fullmatch(name) or not value.isprintable():
                raise UserError(
                    f"{origin}: environment holds {name}={value!r}",
                    "names are letters, digits and _, and values one line of text",
                    "mend it",
                )
        if not self.meter.isprintable():
            raise UserError(f"{origin}: meter holds {self.meter!r}", "it is one line of text", "mend it")
        if self.margin_s >= self.longest_s:
            raise UserError(
                f"{origin}: no launch fits into a job of {self.longest_s:g} s",
                f"margin_s keeps {self.margin_s:g} s of it",
                "raise longest_s or lower margin_s",
            )


def site_file(option: Path | None = None) -> Path:
    """--site, else HAKARU_SITE, else site.toml where the user stands, else the user's own."""
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "hakaru" / "site.toml"
    if named := option or os.environ.get("HAKARU_SITE"):
        return Path(named)
    here = Path("site.toml")
    return here if here.is_file() or not own.is_file() else own
