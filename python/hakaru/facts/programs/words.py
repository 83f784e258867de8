"""Parameters as words of a command line: ``name=value``."""

from collections.abc import Iterable, Mapping

from hakaru.base.errors import UserError
from hakaru.facts.work import Scalar


def assignments(parameters: Mapping[str, Scalar]) -> list[str]:
    """``name=value`` words, in alphabetical order."""

    def word(value: Scalar) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [f"{name}={word(value)}" for name, value in sorted(parameters.items())]


def parse_assignments(words: Iterable[str]) -> dict[str, str]:
    """{name: value} of ``name=value`` words. Raises UserError for any other form."""
    parameters = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UserError(
                f"'{word}' is not understood", "parameters are written name=value", "for example n=64"
            )
        parameters[name] = value
    return parameters
