"""A file of a state that finds the disk full: the run says so and ends with 4, and no part of the file stays."""

import pytest
from support import all_programs, start

WORDS = {
    "electrons checkpoint": ("start=waves", "steps=2", "checkpoint_interval=1", "checkpoint={}"),
    "electrons ground state": ("ground_state={}",),
    "turbulence checkpoint": ("checkpoint={}",),
}
ONCE = ("--preset", "small", "--repetitions", "1", "--warmup", "0")


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("case", WORDS)
def test_no_part_of_a_file_stays(case, ranks, disk):
    name = case.split()[0]
    program = next((one for one in all_programs() if one.name == name), None)
    if program is None:
        pytest.skip(f"{name} was not built")
    words = [word.format(disk / "state") for word in WORDS[case]]
    done = start(program, ["run", *ONCE, *words], ranks=ranks)
    assert done.returncode == 4, done.stderr
    assert f"cannot write {disk / 'state'}" in done.stderr
    assert not list(disk.iterdir())
