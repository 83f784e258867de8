"""The real machine: only that answers come, never what they are."""

import os

from hakaru.run.doctor.diagnosis import diagnose, find_checks
from hakaru.run.doctor.system import System


def test_fixed_work_repeats_and_restores_the_affinity():
    before = os.sched_getaffinity(0)
    samples = System().fixed_work_s(min(before), 0.05)
    assert len(samples) > 3 and min(samples) > 0.0
    assert os.sched_getaffinity(0) == before


def test_a_counter_opens_or_an_error_number_comes():
    assert System().open_cycle_counter() >= 0


def test_missing_files_programs_and_libraries_are_none(tmp_path):
    system = System(tmp_path)
    assert system.read("proc/nothing") is None
    assert system.run(["no-such-program"]) is None
    assert system.run(["false"]) is None
    assert system.library_text("no-such-library.so", "f") is None
    assert system.library_text("libc.so.6", "no_such_function") is None
    assert system.blis_kernels("libc.so.6") is None
    assert system.library_text("libc.so.6", "gnu_get_libc_version")
    assert system.cpu_flags() == set()


def test_this_machine_is_diagnosed():
    results = diagnose()
    assert {result.check for result in results} == set(find_checks())
    for result in results:
        assert result.title and result.finding.found
        assert not result.finding.found.startswith("the check could not read"), result
