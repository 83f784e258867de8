"""The built program against SciPy's filter on the same image, at several layouts; bad input is refused."""

import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage
from support import start

from hakaru.facts import programs
from hakaru.facts.programs.leaf import Leaf

STEP = np.uint64(0x9E3779B97F4A7C15)
TYPES = {"integer": np.int32, "single": np.float32, "double": np.float64}
IMAGE = {"nx": 23, "ny": 14, "nz": 11}


@pytest.fixture(scope="module")
def program() -> Leaf:
    found = next((one for one in programs.known() if one.name == "median_filter"), None)
    if found is None:
        pytest.skip("median_filter is not built")
    return found


def mixed(bits: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser, as native/base/mixed_bits.hpp has it."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def bits_of(channel: int) -> np.ndarray:
    points = np.arange(math.prod(IMAGE.values()), dtype=np.uint64)
    whole = mixed(STEP * (np.uint64(2) * points + np.uint64(channel + 1)))
    return whole.reshape(IMAGE["nz"], IMAGE["ny"], IMAGE["nx"])


def image(values: str) -> np.ndarray:
    """(z, y, x): what the app filters, written down again."""
    bits = bits_of(0)
    z, y, x = np.indices(bits.shape)
    bright = 0.25 + (x + 2 * y + 3 * z) % 64 / 128.0 + (bits >> np.uint64(40)) * 2.0**-26
    bright = np.where(bits % np.uint64(32) == 0, (bits // np.uint64(32)) % np.uint64(2), bright)
    return (bright * 2**20 if values == "integer" else bright).astype(TYPES[values])


def fingerprint(filtered: np.ndarray) -> float:
    weights = (bits_of(1) >> np.uint64(11)) * 2.0**-53
    return math.fsum((weights * filtered.astype(np.float64)).ravel())


def found(program: Leaf, folder: Path, layout: tuple[int, int], words: dict) -> float:
    record = folder / "record.json"
    wanted = [f"{name}={value}" for name, value in (IMAGE | words).items()]
    done = start(
        program, ["run", *wanted, "--repetitions", "1", "--warmup", "0", "--record", str(record)], *layout
    )
    assert done.returncode == 0, done.stdout + done.stderr
    checks = {check["name"]: check["value"] for check in json.loads(record.read_text())["checks"]}
    return checks["last pass: fingerprint"]


@pytest.mark.parametrize("edge", ["nearest", "reflect", "mirror", "wrap", "constant"])
@pytest.mark.parametrize(
    ("values", "window", "layout", "passes"),
    [
        ("integer", (3, 3, 3), (2, 1), 1),
        ("double", (3, 3, 3), (1, 2), 3),
        ("single", (4, 3, 5), (3, 1), 2),
        ("integer", (2, 7, 13), (1, 1), 1),
    ],
)
def test_scipy_finds_the_same(program, tmp_path, values, edge, window, layout, passes):
    words = dict(zip(("window_x", "window_y", "window_z"), window, strict=True))
    ours = found(
        program, tmp_path, layout, words | {"values": values, "edge": edge, "edge_value": 3, "passes": passes}
    )
    filtered = image(values)
    for _ in range(passes):
        filtered = ndimage.median_filter(filtered, size=window[::-1], mode=edge, cval=3)
    assert fingerprint(filtered) == ours
    filtered[3, 4, 5] += 1
    assert fingerprint(filtered) != ours


def pages(record: Path) -> list[float]:
    """Bytes in memory, in transparent large pages, in large pages from the pool."""
    tables = json.loads(record.read_text())["tables"]
    return next(table["rows"][0] for table in tables if table["name"] == "pages")


def test_base_pages_are_what_the_kernel_gave(program, tmp_path):
    record = tmp_path / "record.json"
    start(program, ["run", "--preset", "small", "pages=base", "--record", str(record)])
    resident, transparent, large = pages(record)
    assert resident >= 3 * 4 * math.prod((22, 13, 12)) and transparent == large == 0.0


def test_large_pages_are_given_or_refused(program, tmp_path):
    record = tmp_path / "record.json"
    done = start(program, ["run", "--preset", "small", "pages=large", "--record", str(record)])
    if done.returncode == 0:
        resident, _, large = pages(record)
        assert large == resident > 0.0
    else:
        assert done.returncode == 4 and "nr_hugepages" in done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["window_x=50"], "125000 points"),
        (["edge=periodic"], "nearest, reflect, mirror, wrap, constant"),
    ],
)
def test_impossible_requests_are_refused(program, words, reason):
    done = subprocess.run(
        [program.path, "run", *words], capture_output=True, text=True, env=os.environ, timeout=60
    )
    assert done.returncode == 2 and reason in done.stderr
