"""What the types of files share: no field more, none less, and the JSON object that they are."""

from typing import Any

import msgspec


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a file. Reading a field that is not known raises msgspec.ValidationError (a ValueError)."""

    def as_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return msgspec.json.decode(msgspec.json.encode(self))
