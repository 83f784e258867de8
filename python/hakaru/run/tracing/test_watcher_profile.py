"""Profiles of programs whose distribution of CPU time is known."""

import resource
import shutil
import subprocess

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.run.tracing.profile import TOOL, profile
from hakaru.run.tracing.testing_watched import PROGRAMS, Programs, innermost, watched

ROUNDS = "250000"  # some seconds, some hundred samples
SHARES = {"burn_six": 0.6, "burn_three": 0.3, "burn_one": 0.1}
SAME = 1e-6  # p value below which samples do not come from a distribution: once in a million runs by chance


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Programs:
    try:
        native.tool(TOOL)
    except UserError:
        pytest.skip(f"{TOOL} is not built here")
    return Programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def shares(programs, tmp_path_factory):
    return watched([programs.compile("shares.c"), ROUNDS], tmp_path_factory.mktemp("shares"))


def fits(counts: dict[str, int], shares: dict[str, float]) -> bool:
    """Whether each count lies within the binomial error of its share."""
    from scipy.stats import binomtest

    samples = sum(counts.values())
    return all(binomtest(counts[name], samples, share).pvalue > SAME for name, share in shares.items())


def test_shares_lie_within_the_binomial_error(shares):
    counts = innermost(shares.profile)
    assert sum(counts.values()) > 200
    assert fits(counts, SHARES)
    assert not fits(counts, {"burn_six": 0.45, "burn_three": 0.45, "burn_one": 0.1}), "the test can fail"
    first, second, third = shares.profile.routines[:3]
    assert [one.routine for one in (first, second, third)] == list(SHARES)
    assert all(one.low < one.share < one.high for one in (first, second, third))


def test_what_is_called_counts_for_its_callers(shares):
    found = shares.profile
    inclusive = {one.routine: one.inclusive for one in found.routines}
    assert inclusive["work"] >= 0.98 * found.samples and inclusive["main"] >= inclusive["work"]
    assert inclusive["burn_six"] == innermost(found)["burn_six"]


def test_lines_are_those_of_the_loop(shares):
    text = (PROGRAMS / "shares.c").read_text().splitlines()
    burning = [one for one in shares.profile.lines if one.routine == "burn_six" and one.exclusive]
    assert burning and all("burn_six(void)" in text[one.line - 1] for one in burning)


def test_folded_stacks_are_all_samples(shares):
    found = shares.profile
    lines = list(found.folded())
    assert sum(int(line.rsplit(" ", 1)[1]) for line in lines) == found.samples
    assert any(line.rsplit(" ", 1)[0].endswith("main;work;burn_six") for line in lines)


def test_the_whole_cpu_time_is_sampled(shares):
    (process,) = shares.profile.processes
    assert process.complete and process.rank is None
    assert shares.profile.seconds == pytest.approx(process.samples * process.period_s, rel=0.05)


def test_threads_do_their_own(programs, tmp_path):
    found = watched([programs.compile("shares.c"), "100000", "threads"], tmp_path).profile
    assert [thread.number for thread in found.processes[0].threads][-3:] == [1, 2, 3]
    most = []  # threads are numbered as they begin to run, in any order
    for thread in (1, 2, 3):
        (name, count), *others = innermost(found, thread=thread).most_common()
        assert count >= 0.95 * (count + sum(other for _, other in others))
        most.append(name)
    assert sorted(most) == sorted(SHARES)
    every = innermost(found)
    assert fits({name: every[name] for name in SHARES}, SHARES)


def test_threads_shorter_than_a_period_are_sampled_too(programs, tmp_path):
    program = programs.compile("behaviours.c")
    watched([program, "compute", "1"], tmp_path, raw=tmp_path / "first")  # compiles what is not there yet
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = watched([program, "short_threads", "3000"], tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = run.profile
    assert found.seconds >= 0.5 * spent, "timers that begin anew with each thread would see a twentieth"
    assert innermost(found)["briefly"] >= 0.5 * found.samples


def test_inlined_and_recursive_routines(programs, tmp_path):
    found = watched([programs.compile("inlined.cpp"), "100000"], tmp_path).profile
    stack = max(found.stacks, key=lambda one: one.samples)
    path = [found.frames[i] for i in stack.frames]
    names = [frame.routine for frame in path]
    assert names[0].startswith("burn") and path[0].inlined
    assert "grid::smooth<long>" in names[1] and not path[1].inlined
    assert names[2:43] == [names[2]] * 41 and names[2].startswith("descend") and names[43] == "main"
    (descend,) = [one for one in found.routines if one.routine.startswith("descend")]
    assert 0.97 * found.samples <= descend.inclusive <= found.samples, "once a sample, not once a call"


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no Fortran compiler is installed here")
def test_fortran_names(programs, tmp_path):
    run = watched([programs.compile("fortran.f90"), "150000"], tmp_path)
    counts = innermost(run.profile)
    own = {"grid::smooth": 0.75, "outside": 0.25}
    assert fits({name: counts[name] for name in own}, own)
    assert any(
        one.routine == "solver" and one.inclusive > 0.9 * run.profile.samples for one in run.profile.routines
    )
    assert run.file("records.dat").bytes_written == 16000


@pytest.mark.parametrize("what", ["own_timer", "blocks_signals", "closes_all", "keeps_errno"])
def test_programs_with_signals_of_their_own(programs, tmp_path, what):
    found = watched([programs.compile("behaviours.c"), what, "8000"], tmp_path).profile
    assert innermost(found)["keeps_errno" if what == "keeps_errno" else "compute"] >= 10
    assert found.processes[0].complete


def test_a_program_that_takes_every_signal_gets_them(programs, tmp_path):
    found = watched([programs.compile("behaviours.c"), "every_signal", "10000"], tmp_path).profile
    assert innermost(found)["compute"] >= 5 and not found.processes[0].complete
    assert any("took the signal" in warning for warning in found.warnings)


def test_a_fork_is_a_process_of_its_own(programs, tmp_path):
    found = watched([programs.compile("behaviours.c"), "forks", "20000"], tmp_path).profile
    assert len(found.processes) == 2 and all(process.complete for process in found.processes)
    assert all(innermost(found, process)["compute"] >= 10 for process in (0, 1))


def test_a_library_that_is_loaded_later(programs, tmp_path):
    library = programs.compile("library.c", "-shared", "-fPIC", name="liblater.so")
    found = watched([programs.compile("behaviours.c"), "loads", "20000", library], tmp_path).profile
    (burnt,) = [one for one in found.routines if one.routine == "compute_in_library"]
    assert burnt.module == str(library) and burnt.exclusive >= 0.9 * found.samples


def test_a_killed_process_leaves_its_samples(programs, tmp_path):
    run = watched([programs.compile("behaviours.c"), "kills_itself", "20000"], tmp_path, code=None)
    found = run.profile
    assert innermost(found)["compute"] >= 10 and not found.processes[0].complete
    assert any("was killed" in warning for warning in found.warnings)
    assert run.file("before.txt").bytes_written == 7 and not run.files.processes[0].complete


def test_phases_and_ranks_of_mpi_programs(programs, mpi, tmp_path):
    program = mpi.folder / "watched_phases"
    source = str(PROGRAMS / "phases.c")
    subprocess.run(
        [mpi.compiler.path, "-O1", "-g", source, "-o", str(program)], check=True, capture_output=True
    )
    setting = ["-x", "HAKARU_TRACE_PROFILE=5000000"]
    if mpi.flavour == "mpich":
        setting = ["-genv", "HAKARU_TRACE_PROFILE", "5000000"]
    done = mpi.launch([*setting, str(program), "10000"], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    found = profile(tmp_path / "raw")
    assert [process.rank for process in found.processes] == [0, 1]
    phases: dict[str, int] = {}
    for stack in found.stacks:
        if found.frames[stack.frames[0]].routine == "compute":
            phases[stack.phase] = phases.get(stack.phase, 0) + stack.samples
    assert fits(phases, {"solve": 0.75, "output": 0.25}), "and nothing while recording was off"
    assert {part.phase for part in found.parts if part.routine == "compute"} == {"solve", "output"}


# ---------------------------------------------------------------- names come from what ran, or not at all


def no_names(found) -> bool:
    (own,) = {
        frame.routine for frame in found.frames if found.modules[frame.module].path.endswith("/program")
    }
    return own == ""


@pytest.fixture
def ran(programs, tmp_path):
    program = tmp_path / "program"
    shutil.copy(programs.compile("behaviours.c"), program)
    return program, watched([program, "compute", "20000"], tmp_path)


def test_a_stripped_program(programs, tmp_path):
    shutil.copy(programs.compile("behaviours.c"), tmp_path / "program")
    subprocess.run(["strip", str(tmp_path / "program")], check=True)
    found = watched([tmp_path / "program", "compute", "20000"], tmp_path).profile
    assert no_names(found)
    own = found.routines[0]
    assert own.routine == "(program, no names)" and own.exclusive >= 0.9 * found.samples
    assert any(
        one.module == own.module and one.source.startswith("0x") for one in found.lines if one.exclusive
    )


def test_a_program_that_is_gone(ran):
    program, run = ran
    program.unlink()
    assert no_names(run.profile)
    assert any("is not there any more" in warning for warning in run.profile.warnings)


def test_a_program_that_was_built_again(ran, programs):
    program, run = ran
    assert innermost(run.profile)["compute"] >= 10, "the same program gives names"
    shutil.copy(programs.compile("behaviours.c", "-DNEWER"), program)
    subprocess.run(
        ["cc", "-O2", "-g", str(PROGRAMS / "shares.c"), "-o", str(program), "-lpthread"], check=True
    )
    assert no_names(run.profile)
    assert any("is not the file that ran" in warning for warning in run.profile.warnings)


def test_a_changed_program_without_build_id(programs, tmp_path):
    built = programs.compile("behaviours.c", "-Wl,--build-id=none", name="plain")
    program = tmp_path / "program"
    shutil.copy(built, program)
    run = watched([program, "compute", "20000"], tmp_path)
    assert innermost(run.profile)["compute"] >= 10
    program.write_bytes(program.read_bytes())  # a later time of change
    assert no_names(run.profile)


# ---------------------------------------------------------------- raw files that are damaged


def test_damage_is_told_and_what_stands_before_it_is_kept(shares, tmp_path):
    (path,) = shares.raw.glob("*.hks")
    good, whole = path.read_bytes(), profile(shares.raw).samples
    raw = tmp_path / "raw"
    raw.mkdir()

    def read(data: bytes):
        (raw / path.name).write_bytes(data)
        return profile(raw)

    assert read(good).samples == whole and read(good).processes[0].complete
    half = 1024 + (len(good) - 1024) // 2 // 8 * 8
    for byte in range(0, 48, 7):  # every field of a record is checked
        damaged = read(good[: half + byte] + bytes([good[half + byte] ^ 0x10]) + good[half + byte + 1 :])
        assert 0 < damaged.samples < whole and not damaged.processes[0].complete
        assert any("damaged" in warning or "ends inside" in warning for warning in damaged.warnings)
    cut = read(good[:-12])
    assert cut.samples <= whole and any("it ends inside the record" in warning for warning in cut.warnings)
    without_end = read(good[:-40])
    assert without_end.samples == whole and any(
        "without an end" in warning for warning in without_end.warnings
    )
    for header in (b"", good[:500], b"X" + good[1:]):
        refused = read(header)
        assert refused.samples == 0 and "cannot be read" in refused.warnings[0]


def test_a_full_disk_ends_the_samples_only(programs, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        run = watched([programs.compile("shares.c"), "200000"], tmp_path, raw=disk / "raw")
        assert "cannot grow any more" in run.done.stderr
        assert not run.profile.processes[0].complete and run.profile.samples > 10
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_limit_of_file_size_ends_the_samples_only(programs, tmp_path):
    command = ["sh", "-c", f"ulimit -f 8; exec {programs.compile('shares.c')} 200000"]
    run = watched(command, tmp_path)
    assert "cannot grow any more" in run.done.stderr and run.profile.samples > 10
