"""Mix files, logs and draws: what they say, what they refuse, and in which words."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hakaru.base.errors import UserError
from hakaru.foretell.mix import file, kinds, swf, workload
from hakaru.foretell.mix.fixtures import foretell, line
from hakaru.foretell.mix.kinds import Node

HEAD = 'name = "m"\nnodes = 4\ncores = 4\n'
JOB = "[[jobs]]\nusual_s = 10\n"


def mix_of(tmp_path, text: str) -> file.MixFile:
    (tmp_path / "mix.toml").write_text(text)
    return file.read(tmp_path / "mix.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD, "has no jobs"),
        (HEAD + "[[jobs]]\ncount = 2\n", r"neither program and usual_s"),
        (HEAD + '[[jobs]]\nprogram = "heat"\nusual_s = 2\n', "both program and usual_s"),
        (HEAD + "[[jobs]]\nusual_s = -1\n", r"usual_s"),
        (HEAD + "[[jobs]]\nusual_s = {value = 5, low = 6, high = 7}\n", "is no interval"),
        (HEAD + "[[jobs]]\nusual_s = nan\n", "."),
        (HEAD + JOB + "count = 0\n", "count"),
        (HEAD + JOB + 'layouts = ["2y2"]\n', "layouts"),
        (HEAD + JOB + "[arrival]\nper_hour = 1\nevery_s = 2\n", "says two things"),
        (HEAD + JOB + "[arrival]\nper_hour = 0\n", "per_hour"),
        (HEAD + JOB + '[[pairs]]\njob = "a"\nbeside = "a"\nslower = 2\n', "shared"),
        (HEAD + 'policy = "best"\n' + JOB, "policy"),
        (HEAD + "color = 1\n" + JOB, "color"),
        ("name = \n", "not valid TOML"),
    ],
)
def test_what_is_no_mix_is_refused_in_words(tmp_path, text, words):
    with pytest.raises(UserError, match=words):
        mix_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (JOB + "nodes = 5\n", r"can never run \(it needs 5 nodes, and there are 4\)"),
        (JOB + "cores = 5\n", "it needs 5 cores of a node, which has 4"),
        ('[[jobs]]\nprogram = "x"\nlayouts = ["32x1"]\n', "it needs 8 nodes"),
        ('[[jobs]]\nprogram = "x"\nlayouts = ["1x8"]\n', "a rank wants 8 cores"),
        ('[[jobs]]\nprogram = "x"\nlayouts = ["8x1"]\nnodes = 1\n', "8 cores of each are wanted"),
        (JOB + 'name = "a"\n' + JOB + 'name = "a"\n', "two .* are called 'a'"),
        ("shared = true\n" + JOB + '[[pairs]]\njob = "b"\nbeside = "b"\nslower = 2\n', r"names 'b'"),
    ],
)
def test_jobs_that_can_never_run_are_refused_in_words(tmp_path, text, words):
    with pytest.raises(UserError, match=words):
        kinds.kinds_of(mix_of(tmp_path, HEAD + text), Node(4, 4), foretell)


def test_programs_times_sizes_times_layouts(tmp_path):
    text = '[[jobs]]\nprogram = "x"\nparameters = { n = [8, 16] }\nlayouts = ["8x1", "2x4"]\ncount = 3\ninstead = "4x2"\n'
    mix = mix_of(tmp_path, HEAD + text)
    found = kinds.kinds_of(mix, Node(4, 4), foretell)
    assert [kind.name for kind in found] == ["x n=8 8x1", "x n=8 2x4", "x n=16 8x1", "x n=16 2x4"]
    assert [kind.needs for kind in found] == [2, 2, 2, 2] and {kind.count for kind in found} == {3}
    assert found[0].limit_s == 60.0, "what hakaru would ask for"
    other = kinds.instead(mix, Node(4, 4), foretell)
    assert [(kind.name, kind.count) for kind in other] == [("x n=8 4x2", 6), ("x n=16 4x2", 6)]


def test_draws_have_both_spreads_and_are_the_same_for_a_seed(tmp_path):
    """95 % of any one run lie in time_s, 95 % of the middles of draws in usual_s."""
    times = "usual_s = {value = 100, low = 90, high = 120}\ntime_s = {value = 100, low = 60, high = 180}\n"
    mix = mix_of(tmp_path, HEAD + "[[jobs]]\n" + times + "count = 400\n")
    found = kinds.kinds_of(mix, Node(4, 4), foretell)
    drawn = [workload.of_mix(mix, found, None).drawn(draw).run_s for draw in range(300)]
    middles, every = np.median(drawn, axis=1), np.concatenate(drawn)
    assert ((middles > 90) & (middles < 120)).mean() == pytest.approx(0.95, abs=0.05)
    assert ((every > 60) & (every < 180)).mean() == pytest.approx(0.95, abs=0.02)
    again = workload.of_mix(mix, found, None).drawn(7).run_s
    assert again.tobytes() == drawn[7].tobytes() != drawn[8].tobytes()


def test_jobs_come_by_rate_in_steps_or_as_in_a_log(tmp_path):
    def submitted(arrival: str) -> np.ndarray:
        mix = mix_of(tmp_path, HEAD + JOB + "count = 2000\n" + arrival)
        found = kinds.kinds_of(mix, Node(4, 4), foretell)
        return workload.of_mix(mix, found, None).drawn(0).submit_s

    assert not submitted("").any()
    assert submitted("[arrival]\nevery_s = 3\n")[:3].tolist() == [0, 3, 6]
    assert np.diff(submitted("[arrival]\nper_hour = 60\n")).mean() == pytest.approx(60.0, rel=0.1)


def log_of(tmp_path, *lines: str) -> swf.Log:
    (tmp_path / "a.swf").write_text("\n".join(("; MaxProcs: 16", "", *lines)) + "\n")
    return swf.read(tmp_path / "a.swf")


def test_a_log_is_sorted_and_what_it_does_not_know_is_left_out(tmp_path):
    log = log_of(
        tmp_path,
        line(1, 50, 5),
        line(2, 40, 7, asked=8, asked_s=60),
        line(3, 60, -1),
        line(4, 70, 3, processors=-1),
    )
    assert log.submit_s.tolist() == [0, 10] and log.run_s.tolist() == [7, 5]
    assert log.processors.tolist() == [8, 2] and log.limit_s.tolist() == [60, 5]
    assert log.machine_processors == 16 and log.unsorted == 1
    assert log.left_out == {"their run time is not known": 1, "their number of processors is not known": 1}
    whole, larger = workload.of_log(log, Node(3, 2))
    assert larger == 1 and whole.jobs.needs.tolist() == [1] and whole.jobs.submit_s.tolist() == [0]


def test_a_packed_log_is_read(tmp_path):
    (tmp_path / "a.swf.gz").write_bytes(gzip.compress(line(1, 0, 5).encode()))
    assert swf.read(tmp_path / "a.swf.gz").run_s.tolist() == [5]
    (tmp_path / "a.swf.gz").write_bytes(gzip.compress(line(1, 0, 5).encode())[:-9])
    with pytest.raises(UserError, match="cut off"):
        swf.read(tmp_path / "a.swf.gz")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["1 2 3"], r"line 3 has 3 fields, not 18"),
        ([line(1, 0, 5), line(2, 0, 5) + " 7"], "line 4 has 19 fields"),
        ([line(1, 0, 5).replace("5", "five", 1)], "line 3 has 'five'"),
        ([], "has no job"),
        ([line(1, 0, -1)], "no job that can be replayed .*run time is not known"),
        ([line(1, -5, 1)], "submit time is negative"),
    ],
)
def test_a_damaged_log_is_refused_with_its_line(tmp_path, lines, words):
    with pytest.raises(UserError, match=words):
        log_of(tmp_path, *lines)


@given(st.text(alphabet="0123456789-.e ;\nxnaif", max_size=300), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_log_or_is_refused(tmp_path, text, rows):
    lines = [" ".join((text.split() * 18)[k : k + 18]) for k in range(4)] if rows else [text]
    try:
        log = log_of(tmp_path, *lines)
    except UserError:
        return
    assert (
        (np.diff(log.submit_s) >= 0).all()
        and (log.processors >= 1).all()
        and (log.limit_s >= log.run_s).all()
    )


def test_a_log_of_jobs_too_large_and_one_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="no job of the log fits"):
        workload.of_log(log_of(tmp_path, line(1, 0, 5, 99)), Node(2, 2))
    with pytest.raises(UserError, match="cannot read the log"):
        swf.read(tmp_path / "gone.swf")
