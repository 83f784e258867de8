"""What only time shows: drift, growth, leaks, counters that overflow. The runs themselves are part of ``./hakaru test --all``."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from long_runs import MOST_GROWTH_B, watch
from support import all_programs, start

from hakaru.facts.description import Preset
from hakaru.facts.programs.leaf import Leaf

APPS = [program for program in all_programs() if program.kind == "app"]
FULL = [
    program
    for program in all_programs()
    if any(
        parameter.name == "verification" and "full" in parameter.choices
        for parameter in program.describe().parameters
    )
]
LEAK = "import os, time\nkept = []\nfor i in range(40):\n    time.sleep(0.02)\n    {}\n"
FULL_LIMIT_S = 7200


def left(folder: Path) -> list[str]:
    """What stays in a folder; the daemon beside a program that was started alone tidies up a moment after it."""
    for _ in range(100):
        if os.listdir(folder) == ["record.json"]:
            break
        time.sleep(0.1)
    return sorted(os.listdir(folder))


def presets(program: Leaf) -> dict[str, Preset]:
    return {preset.name: preset for preset in program.describe().presets}


@pytest.mark.parametrize("program", APPS, ids=lambda program: program.name)
def test_every_app_has_a_long_preset(program):
    assert "long" in presets(program)


@pytest.mark.parametrize(
    "leak",
    ["kept.append(bytearray(4 << 20))", "kept.append(os.open('/dev/null', os.O_RDONLY))", "pass"],
    ids=["memory", "descriptors", "none"],
)
def test_a_leak_is_seen(leak, tmp_path):
    seen = watch([sys.executable, "-c", LEAK.format(leak)], tmp_path, 0.02)
    assert seen.exit_code == 0
    assert (seen.growth_b > MOST_GROWTH_B) == ("bytearray" in leak)
    assert (seen.more_descriptors > 0) == ("os.open" in leak)


@pytest.mark.long
@pytest.mark.parametrize("program", APPS, ids=lambda program: program.name)
def test_ten_minutes(program, tmp_path):
    record_file = tmp_path / "record.json"
    once = [] if presets(program)["long"].repetitions else ["--repetitions", "1", "--warmup", "0"]
    words = ["run", "--preset", "long", *once, "--record", str(record_file)]
    seen = watch([program.path, *words], tmp_path)
    assert seen.exit_code == 0, seen.output
    record = json.loads(record_file.read_text())
    assert record["verdict"] == "passed" and record["checks"]
    assert seen.growth_b <= MOST_GROWTH_B, f"resident memory grew by {seen.growth_b} B"
    assert seen.more_descriptors <= 0, "descriptors stay open"
    assert left(tmp_path) == ["record.json"], "files were left"


@pytest.mark.long
@pytest.mark.parametrize("program", FULL, ids=lambda program: program.name)
def test_full_verification(program):
    done = start(program, ["verify", "verification=full"], limit_s=FULL_LIMIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
