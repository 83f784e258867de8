"""A growth law stated by the user: products of powers of N and of log2(N), such as ``N^4`` or ``N^3 *
log2(N)``."""

import math
import re
from dataclasses import dataclass

from hakaru.base.errors import UserError

_LARGEST_EXPONENT = 12.0
_FACTOR = re.compile(
    r"""\s*(?:(?P<log>log2\s*\(\s*N\s*\)|log2\s+N|log2N)|(?P<size>N))
        \s*(?:(?:\^|\*\*)\s*(?P<exponent>\d+(?:\.\d+)?(?:/\d+)?|\(\s*\d+(?:\.\d+)?\s*/\s*\d+\s*\)))?\s*""",
    re.VERBOSE,
)
_GRAMMAR = 'write a product of powers of N and log2(N), such as "N^4", "N^3 * log2(N)" or "N^(3/2)"'


@dataclass(frozen=True)
class Growth:
    """Time grows as N^size_exponent * log2(N)^logarithm_exponent; N is the ``size`` of the description
    (1)."""

    size_exponent: float
    logarithm_exponent: float

    def __call__(self, size: float) -> float:
        if self.logarithm_exponent and size <= 1.0:
            raise UserError(
                f"growth {self} means nothing at N = {size:g}",
                "log2(N) must be positive",
                "leave log2(N) out",
            )
        return size**self.size_exponent * (
            math.log2(size) ** self.logarithm_exponent if self.logarithm_exponent else 1.0
        )

    def __str__(self) -> str:
        factors = [("N", self.size_exponent), ("log2(N)", self.logarithm_exponent)]
        return (
            " * ".join(name if power == 1.0 else f"{name}^{power:.17g}" for name, power in factors if power)
            or "N^0"
        )


def parse(text: str) -> Growth:
    """Growth law of ``text``. Grammar: factor ("*" factor)*, factor = ("N" | "log2(N)") ["^" number | "^("
    number "/" integer ")"].

    Raises UserError for anything else, for a negative power and for powers above 12.
    """
    powers = {"size": 0.0, "log": 0.0}
    position = 0
    while True:
        match = _FACTOR.match(text, position)
        if match is None:
            _refuse(
                text,
                f"nothing known at {text[position:]!r}" if text[position:].strip() else "a factor is missing",
            )
        powers["log" if match["log"] else "size"] += _exponent(text, match["exponent"])
        position = match.end()
        if position == len(text):
            break
        if text[position] != "*":
            _refuse(text, f"expected * or the end at {text[position:]!r}")
        position += 1
    if max(powers.values()) > _LARGEST_EXPONENT:
        _refuse(text, f"a power above {_LARGEST_EXPONENT:g} is no growth law of a program")
    return Growth(powers["size"], powers["log"])


def _exponent(text: str, exponent: str | None) -> float:
    if exponent is None:
        return 1.0
    numerator, _, denominator = exponent.strip("()").partition("/")
    if denominator and float(denominator) == 0.0:
        _refuse(text, "division by zero in an exponent")
    return float(numerator) / float(denominator or 1.0)


def _refuse(text: str, why: str):
    raise UserError(f"growth {text!r} is not understood", why, _GRAMMAR)
