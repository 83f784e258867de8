import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakaru.base.errors import UserError
from hakaru.foretell.models.growth import Growth, parse

powers = st.integers(0, 24).map(lambda halves: halves / 2.0)


@given(powers, powers)
def test_what_is_printed_is_read_back(size_exponent, logarithm_exponent):
    growth = Growth(size_exponent, logarithm_exponent)
    assert parse(str(growth)) == growth


@given(
    st.lists(
        st.tuples(st.sampled_from(["N", "log2(N)", " log2( N )"]), st.integers(0, 3)), min_size=1, max_size=4
    )
)
def test_powers_of_a_product_add_up(factors):
    growth = parse("*".join(f"{name}^{power}" for name, power in factors))
    assert growth.size_exponent == sum(power for name, power in factors if name == "N")
    assert growth.logarithm_exponent == sum(power for name, power in factors if name != "N")


@pytest.mark.parametrize(
    ("text", "size", "value"),
    [
        ("N^4", 72.0, 72.0**4),
        ("N**2", 3.0, 9.0),
        ("N^3 * log2(N)", 8.0, 1536.0),
        ("N^(3/2)", 4.0, 8.0),
        ("N^3/2", 4.0, 8.0),
        ("N*N*log2 N", 4.0, 32.0),
        ("log2(N)^2", 16.0, 16.0),
    ],
)
def test_values(text, size, value):
    assert math.isclose(parse(text)(size), value)


def test_published_rule_doubles_as_it_should():
    growth = parse("N^4")
    assert math.isclose(11.0 * growth(72.0) / growth(36.0), 176.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "N^",
        "N^-1",
        "N^4;import os",
        "__import__('os')",
        "N+N",
        "2*N",
        "n^4",
        "N^99",
        "N^(1/0)",
        "*N",
        "N*",
        "N N",
        "N^4^2",
        "log2(M)",
        "N^1e9",
        "exp(N)",
        "N^(1",
    ],
)
def test_anything_else_is_refused_with_the_grammar(text):
    with pytest.raises(UserError, match="write a product of powers"):
        parse(text)


@given(st.text(max_size=20))
def test_no_text_does_anything_but_parse_or_refuse(text):
    try:
        assert isinstance(parse(text), Growth)
    except UserError as error:
        assert error.exit_code == 2


def test_logarithm_of_one_is_refused_when_used():
    with pytest.raises(UserError, match="log2"):
        parse("log2(N)")(1.0)
