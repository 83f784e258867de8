"""A program of a study: one of the ``[[programs]]`` of its study.toml."""

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.facts.work import Parameters, Scalar
from hakaru.studies.kinds import Count


class Entry(Strict, omit_defaults=True):
    """``application``: as the publication calls it. ``run_time_system``: the study counts its calls."""

    application: Words
    program: Words
    ranks: Count
    preset: str | None = None
    parameters: Parameters = {}
    run_time_system: bool = False

    def changed(self, **fields: Any) -> Self:
        return msgspec.structs.replace(self, **fields)

    def with_parameters(self, more: Mapping[str, Scalar]) -> Self:
        """``more`` on top of its own."""
        return self.changed(parameters=self.parameters | dict(more))

    @property
    def file_name(self) -> str:
        """Of its schedule."""
        told = "".join(f"-{value}" for value in self.parameters.values())
        return f"{self.application.lower()}-{self.ranks}{told}.schedule.json"
