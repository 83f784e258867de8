"""The documents as a site that opens offline: what people wrote under ``docs/``, and what programs, schemas and machine files say."""

from hakaru.tell.documents.build import Request, build

__all__ = ["Request", "build"]
