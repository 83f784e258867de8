import pytest

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 s"),
        (1.234e-9, "1.23 ns"),
        (9.996e-7, "1.00 µs"),
        (0.012345, "12.3 ms"),
        (0.9999, "1.00 s"),
        (59.96, "60.0 s"),
        (1234.0, "20.6 min"),
        (36000.0, "10.0 h"),
    ],
)
def test_seconds(value, text):
    assert units.seconds(value) == text


def test_rates_have_decimal_and_capacities_binary_prefixes():
    assert units.quantity(15.24e9, "B/s") == "15.2 GB/s"
    assert units.quantity(999.9e9, "flop/s") == "1.00 Tflop/s"
    assert units.quantity(4589.4, "Mflop/s") == "4589 Mflop/s"
    assert units.quantity(6.25e-11, "s/B") == "0.0625 ns/B"
    assert units.quantity(1234567, "1") == "1,234,567"
    assert units.capacity(32768) == "32 KiB"
    assert units.capacity(1.5 * 2**20) == "1.50 MiB"


def test_an_interval_has_one_unit():
    assert units.seconds_interval(Interval(0.967, 0.851, 1.11, 5, 0.95)) == "0.967 s (0.851 to 1.11)"
    assert units.seconds_range(9e-4, 1.1e-3) == "0.900 to 1.10 ms"


def test_ticks_drop_zeros_of_the_fraction_only():
    assert units.tick("20.0 GB/s") == "20 GB/s"
    assert units.tick("2.50 ms") == "2.5 ms"
    assert units.tick("100 ms") == "100 ms"


def test_fractions():
    assert units.percent(0.034) == "3.4 %"
    assert units.percent(1.34) == "134 %"
    assert units.signed_percent(-0.25) == "-25 %"


@pytest.mark.parametrize(
    ("text", "value_s"),
    [
        ("100us", 1e-4),
        ("100 µs", 1e-4),
        ("1.5ms", 1.5e-3),
        ("2s", 2.0),
        ("25ns", 25e-9),
        ("0", 0.0),
        ("1e-3s", 1e-3),
    ],
)
def test_times_are_read(text, value_s):
    assert units.parse_seconds(text) == value_s


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("1Gbit", 1.25e8),
        ("100 Mbit/s", 1.25e7),
        ("125MB/s", 1.25e8),
        ("10Gbit/s", 1.25e9),
        ("64kbit", 8e3),
        ("9600bit", 1200.0),
        ("0", None),
        ("0Gbit", None),
        ("unlimited", None),
    ],
)
def test_rates_are_read(text, bytes_per_s):
    assert units.parse_rate(text) == bytes_per_s


@pytest.mark.parametrize("text", ["", "fast", "100", "100 parsec", "-1us", "1.2.3us", "us"])
def test_a_time_that_is_none_is_refused(text):
    with pytest.raises(UserError, match="is not a time.*write it like"):
        units.parse_seconds(text)


@pytest.mark.parametrize("text", ["", "fast", "100", "1GHz", "-1Gbit", "1Xbit", "bit", "1Gbyte"])
def test_a_rate_that_is_none_is_refused(text):
    with pytest.raises(UserError, match="is not a rate.*write it like"):
        units.parse_rate(text)
