"""The exact sum equals the sum of rational numbers, rounded once, in every order and spread."""

import math
import os
import random
import struct
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakaru.base import topology
from hakaru.base.paths import build_folder, mpi_flavour
from hakaru.run.launchers.here import launch_here

LIMIT_S = 120
WAYS = ("one by one", "backwards", "array", "merged parts", "over ranks")
SMALLEST, LARGEST = 5e-324, 1.7976931348623157e308
EXTREMES = [
    0.0,
    -0.0,
    SMALLEST,
    -SMALLEST,
    2.2250738585072014e-308,
    2.225073858507201e-308,
    LARGEST,
    -LARGEST,
    2.0**970,
    -(2.0**970),
    1.0,
    2.0**-53,
]


@pytest.fixture(scope="module")
def program() -> Path:
    path = build_folder() / "tests" / "exact_sum_program"
    if not path.is_file():
        pytest.skip("exact_sum_program is not built")
    return path


def expected(values: list[float]) -> float:
    """The definition in exact_sum.hpp, by rational arithmetic."""
    if any(math.isnan(value) for value in values):
        return math.nan
    infinities = {value for value in values if math.isinf(value)}
    if infinities:
        return infinities.pop() if len(infinities) == 1 else math.nan
    total = sum(map(Fraction, values), Fraction(0))
    try:
        return total.numerator / total.denominator  # rounds once, ties to even, subnormals too
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def bits(value: float) -> str:
    return "7ff8000000000000" if math.isnan(value) else struct.pack(">d", value).hex()


def sums(program: Path, cases: list[list[float]], ranks: int = 1) -> list[list[str]]:
    data = b"".join(struct.pack(f"<Q{len(case)}d", len(case), *case) for case in cases)
    command, environment = [str(program)], os.environ
    if ranks > 1:
        launch = launch_here(mpi_flavour(), ranks)
        command, environment = launch.command(command), os.environ | launch.variables()
    done = subprocess.run(
        command, input=data, capture_output=True, env=environment, check=True, timeout=LIMIT_S
    )
    return [line.split() for line in done.stdout.decode().splitlines()]


def hold(program: Path, cases: list[list[float]], ranks: int = 1) -> None:
    lines = sums(program, cases, ranks)
    assert len(lines) == len(cases)
    for case, line in zip(cases, lines, strict=True):
        wanted = bits(expected(case))
        assert dict(zip(WAYS, line, strict=True)) == dict.fromkeys(WAYS, wanted), case[:20]


ANY = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(EXTREMES),
    st.builds(math.ldexp, st.floats(-1, 1), st.integers(-1074, 1023)),
)


@given(st.lists(st.lists(ANY, max_size=60), min_size=20, max_size=40))
@settings(max_examples=20, deadline=None)
def test_any_finite_numbers(program, cases):
    hold(program, cases)


@given(st.lists(st.lists(st.one_of(ANY, st.sampled_from([math.inf, -math.inf, math.nan])), max_size=8)))
@settings(max_examples=10, deadline=None)
def test_infinities_and_nan(program, cases):
    hold(program, cases)


def scattered(seed: int, count: int, spread: int) -> list[float]:
    """Random signs and exponents, most of which cancel."""
    chance = random.Random(seed)
    half = [math.ldexp(chance.uniform(-1, 1), chance.randint(-spread, spread)) for _ in range(count // 2)]
    values = half + [-value for value in half[1:]]
    chance.shuffle(values)
    return values


def test_long_lists_take_the_table_and_agree(program):
    cases = [scattered(seed, count, spread) for seed, count, spread in
             [(1, 5000, 1), (2, 20000, 500), (3, 9000, 1000), (4, 4097, 30)]]  # fmt: skip
    cases += [[1.5] * 12345, [-SMALLEST] * 9000, [LARGEST] * 5000 + [-LARGEST] * 5000 + [1.0]]
    cases += [[math.inf] * 6000, [math.nan] + [1.0] * 6000, [math.inf, -math.inf] * 3000, [-0.0] * 5000]
    hold(program, cases)


def test_ties_go_to_even_and_the_rest_decides(program):
    half = 2.0**-53
    hold(
        program,
        [
            [1.0, half],
            [1.0 + 2 * half, half],
            [1.0, half, SMALLEST],
            [-1.0, -half, SMALLEST],
            [LARGEST, 2.0**970],
            [LARGEST, 2.0**970, -SMALLEST],
            [LARGEST, LARGEST, -LARGEST],
            [SMALLEST, -SMALLEST],
            [],
        ],
    )


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_ranks_change_no_bit(ranks, program):
    if mpi_flavour() == "mpich" and ranks > topology.here().hardware_threads:
        pytest.skip("MPICH busy-polls: more ranks than cores take minutes")
    cases = [scattered(seed, 300 + seed, 60 * seed) for seed in range(1, 15)]
    hold(program, [*cases, EXTREMES, [], [math.inf, 1.0], [math.nan, math.inf]], ranks)


def test_a_plain_sum_fails_the_same_check(program):
    """The cases above are ones that a sum in floating point gets wrong."""
    wrong = [case for case in (scattered(seed, 300, 60) for seed in range(9)) if sum(case) != expected(case)]
    assert len(wrong) >= 8
