"""What the bench makes of its program's lines."""

import pytest

from hakaru.base.files import load_module
from hakaru.own.bench.runner import bench_folder

stencil = load_module(bench_folder() / "stencil.py")

NAMES = ["fma_peak", "orbital_bandwidth", "fortran", "compiler", "explicit", "fused", "taylor_step"]
NAMES += [f"prefetch_{distance}" for distance in stencil.PREFETCH_BYTES]


def lines(names, rounds=4):
    """Rates grow with the place in the list; the first round is slower by ten."""
    rates = {name: 1e9 * (place + 1) for place, name in enumerate(names)}
    return "# explicit: AVX3\n" + "\n".join(
        f"{cores} {name} {number} {cores * rate / (10 if number == 0 else 1)}"
        for cores in (1, 2)
        for number in range(rounds)
        for name, rate in rates.items()
    )


def test_the_first_round_is_discarded():
    found = stencil.rates(lines(NAMES))
    assert sorted(found) == [1, 2]
    assert found[2].samples["fma_peak"] == [2e9, 2e9, 2e9]


def test_the_bandwidth_bounds_158_flops_for_40_bytes():
    found = stencil.rates(lines(NAMES))
    assert found[1].samples["bandwidth_bound"] == pytest.approx([2e9 * 158 / 40] * 3)


@pytest.mark.parametrize("intrinsics", [False, True])
def test_rows_hold_ratios_and_bounds(intrinsics):
    names = NAMES + ["intrinsics"] * intrinsics
    rows = {row["figure"]: row for row in stencil.rows_of("Si", 1, stencil.rates(lines(names))[1])}
    over_peak = rows["explicit over the peak, Si, 1 core"]
    assert (over_peak["value"], over_peak["bound"]) == (pytest.approx(5.0), 0.5)
    assert rows["compiler over Fortran, Si, 1 core"]["value"] == pytest.approx(4 / 3)
    assert ("plain intrinsics, Si, 1 core" in rows) == intrinsics
