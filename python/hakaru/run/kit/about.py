"""What a kit says of itself: kit.json, which comes home with its results (schema/kit.schema.json)."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hakaru import __version__
from hakaru.facts.json_schema import Schema, explained, head
from hakaru.facts.records.provenance import now_text
from hakaru.facts.records.record import SCHEMA as RECORD
from hakaru.facts.records.record import Moment
from hakaru.facts.strict import Strict
from hakaru.facts.traces.layout import VERSION

SCHEMA = "hakaru/kit/1"
FILE = "kit.json"
MEANINGS = {
    "schema": "The version of this format and of the layout of a kit's results.",
    "hakaru": "Version of hakaru that wrote the kit.",
    "sources": "First digits of the SHA-256 of all sources of the kit.",
    "made": "When the kit was written, in UTC.",
    "record": "Format of its records.",
    "raw": "Version of its raw traces.",
    "probes": "Probes that it holds.",
}


class About(Strict, kw_only=True):
    """``sources``: digest of all files of the kit; ``raw``: version of its raw traces."""

    schema: Literal["hakaru/kit/1"]
    hakaru: str
    sources: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$")]
    made: Moment
    record: str
    raw: Annotated[int, Meta(ge=1)]
    probes: tuple[str, ...]

    @classmethod
    def of(cls, files: Mapping[str, bytes], probes: tuple[str, ...]) -> "About":
        digest = hashlib.sha256()
        for name in sorted(files):
            digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
        sources = digest.hexdigest()[:16]
        return cls(
            schema=SCHEMA,
            hakaru=__version__,
            sources=sources,
            made=now_text(),
            record=RECORD,
            raw=VERSION,
            probes=probes,
        )


def schema() -> Schema:
    own = msgspec.json.schema(About)["$defs"]["About"]
    whole = explained(own, MEANINGS)
    title = "What a kit for machines where nothing can be installed says of itself (kit.json)"
    return head("kit", title) | {key: value for key, value in whole.items() if key != "title"}
