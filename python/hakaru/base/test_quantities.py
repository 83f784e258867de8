import pytest

from hakaru.base import quantities


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("2us", "s", 2e-6),
        ("2 µs", "s", 2e-6),
        ("1.5e-6", "s", 1.5e-6),
        ("3min", "s", 180.0),
        ("10Gbit/s", "B/s", 1.25e9),
        ("1.5 GB/s", "B/s", 1.5e9),
        ("64KiB", "B", 65536),
        ("64kB", "B", 64000),
        ("0.1ns/B", "s/B", 1e-10),
        ("10Gbit/s", "s/B", 8e-10),
        ("5%", "1", 0.05),
        ("2.5GHz", "Hz", 2.5e9),
        ("40Gflop/s", "flop/s", 4e10),
        ("16", "1", 16),
    ],
)
def test_what_people_write_is_read(text, unit, value):
    assert quantities.parse(text, unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "why"),
    [
        ("fast", "s", "does not begin with a number"),
        ("2 parsec", "s", "no unit"),
        ("2GB/s", "s", "'s' is needed"),
        ("2us", "1", "a plain number is needed"),
        ("0Gbit/s", "s/B", "no rate"),
        ("1e999", "s", "not finite"),
        ("", "s", "does not begin with a number"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(text, unit, why):
    with pytest.raises(ValueError, match=why):
        quantities.parse(text, unit)


def test_a_unit_alone_is_so_many_of_another():
    assert (quantities.factor("us", "s"), quantities.factor("h", "s"), quantities.factor("KiB", "B")) == (
        1e-6,
        3600.0,
        1024,
    )
    for word in ("parsec", "MB", ""):
        with pytest.raises(ValueError):
            quantities.factor(word, "s")
