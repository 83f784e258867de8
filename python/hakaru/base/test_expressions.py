import gc

import pytest

from hakaru.base.errors import UserError
from hakaru.base.expressions import evaluate, names_in, number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8 * n^3", 8 * 27),
        ("2**10", 1024),
        ("n % 2 == 1 and ranks <= 4", True),
        ("round(cbrt(ranks)) ^ 3 == ranks", False),
        ("log2(ranks)", 1.0),
        ("-n + 4", 1),
    ],
)
def test_arithmetic(text, value):
    assert evaluate(text, {"n": 3, "ranks": 2}) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "n.__class__",
        "[1][0]",
        "n +",
        "unknown * 2",
        "1 / 0",
        "9 ^ 9 ^ 9 ^ 9",
        "'a' * 1000000000",
        "(-1) ^ 0.5",
        "open('x')",
        "log2(0)",
        "1" * 600,
        "",
    ],
)
def test_anything_else_is_an_error_in_words(text):
    with pytest.raises(UserError):
        evaluate(text, {"n": 3})


def test_a_number_is_asked_for():
    assert number("n^2", {"n": 3}) == 9.0
    with pytest.raises(UserError, match="is no number"):
        number("n > 2", {"n": 3})


def test_names():
    assert names_in("round(cbrt(ranks)) ^ n") == {"ranks", "n"}


def test_nothing_is_finalised_where_an_interruption_would_be_lost(monkeypatch):
    """Python ignores a KeyboardInterrupt that is raised in a finaliser."""
    import simpleeval

    ended = []
    monkeypatch.setattr(simpleeval.SimpleEval, "__del__", lambda self: ended.append(self))
    assert [evaluate("2 * n", {"n": n}) for n in (1, 2, 3)] == [2, 4, 6]
    gc.collect()
    assert not ended
