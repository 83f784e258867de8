"""What studies share that compile their own programs: compilers, programs that are kept, what they print, conclusions."""

import pytest

from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval
from hakaru.studies import compilers
from hakaru.studies.compilers import Compiler
from hakaru.studies.conclusions import ALIKE, FAILS, HOLDS, OPEN, SLOWER, geometric_mean, held
from hakaru.studies.told import require_close, require_same, told


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bin_folder(tmp_path):
    """gcc in two names, gcc-13, a clang that does not start, and what is no compiler."""
    place = tmp_path / "bin"
    script(place / "gcc-12", "echo gcc 12.2")
    (place / "gcc").symlink_to("gcc-12")
    script(place / "gcc-13", "echo gcc 13.1")
    script(place / "clang", "exit 1")
    script(place / "gcc-ar", "echo ar")
    return place


def test_each_compiler_is_found_once_with_its_version(bin_folder):
    here = compilers.found("c", path=str(bin_folder))
    assert [one.name for one in here] == ["gcc", "gcc-13"]
    assert here[1].about.startswith("gcc 13.1 (") and {one.language for one in here} == {"c"}
    assert [one.family for one in here] == ["GNU", "GNU 13"]
    assert Compiler("flang-new", "fortran", "").family == "LLVM"


def test_a_language_without_a_compiler_is_an_error_in_words(bin_folder):
    with pytest.raises(UserError, match=r"nothing to compile fortran with.*install gfortran"):
        compilers.found("fortran", path=str(bin_folder))


@pytest.fixture
def copying(tmp_path, monkeypatch):
    """A compiler that copies its source, and counts in ``runs``."""
    runs = tmp_path / "runs"
    path = script(
        tmp_path / "bin" / "cc",
        f'echo run >> {runs}; while [ "$1" != -o ]; do shift; done; cp "$3" "$2"; chmod +x "$2"',
    )
    return Compiler(str(path), "c", "copies 1.0"), runs


def test_a_program_is_compiled_once_and_again_when_anything_changes(copying, tmp_path):
    compiler, runs = copying
    sources = {"main.sh": "#!/bin/sh\necho value 1\n", "part.h": "1"}
    first = compilers.program(compiler, ["-O2"], sources, tmp_path / "kept", "one")
    assert compilers.program(compiler, ["-O2"], sources, tmp_path / "kept", "one") == first
    assert runs.read_text().count("run") == 1 and told(first).number("value") == 1.0
    others = [
        compilers.program(compiler, ["-O3"], sources, tmp_path / "kept", "one"),
        compilers.program(compiler, ["-O2"], sources | {"part.h": "2"}, tmp_path / "kept", "one"),
        compilers.program(
            Compiler(compiler.name, "c", "copies 1.1"), ["-O2"], sources, tmp_path / "kept", "one"
        ),
    ]
    assert len({first, *others}) == 4 and runs.read_text().count("run") == 4


def test_a_compiler_that_fails_or_hangs_is_said_and_the_rest_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(compilers, "LIMIT_S", 0.3)
    fails = Compiler(str(script(tmp_path / "bad", "echo 'error: no' >&2; exit 4")), "c", "bad")
    hangs = Compiler(str(script(tmp_path / "slow", "sleep 60")), "c", "slow")
    built, failed = compilers.each(
        [fails, hangs], lambda one: compilers.program(one, [], {"a.c": ""}, tmp_path / "kept", "a")
    )
    assert not built
    assert "bad cannot compile a.c (error: no)" in str(failed[fails])
    assert "longer than 0.3 s" in str(failed[hangs])
    assert not list((tmp_path / "kept").iterdir()), "nothing is left of what failed"


def test_a_folder_that_cannot_be_written_is_an_error_in_words(copying, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot keep .*Not a directory.*--results DIR"):
        compilers.program(copying[0], [], {"main.sh": ""}, tmp_path / "file" / "kept", "one")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("exit 3", "ended with 3"),
        ("echo oops >&2; exit 3", "oops"),
        ("echo nothing", "printed 'nothing'"),
        ("sleep 60", "longer than"),
    ],
)
def test_a_program_that_fails_is_an_error_in_words(tmp_path, text, why):
    with pytest.raises(UserError, match=why):
        told(script(tmp_path / "program", text), limit_s=0.5)


def test_what_a_program_does_not_print_is_told(tmp_path):
    found = told(script(tmp_path / "program", "echo seconds 2; echo seconds 3; echo bits 0F"))
    assert (found.numbers("seconds"), found.number("seconds"), found.text("bits")) == ([2.0, 3.0], 3.0, "0F")
    with pytest.raises(UserError, match="it printed no norm"):
        found.number("norm")


def test_other_results_are_told():
    require_same({"a": "0F", "b": "0F"})
    require_close({"a": 1.0, "b": 1.0 + 1e-13}, 1e-12)
    with pytest.raises(UserError, match="b computes something else than a"):
        require_same({"a": "0F", "b": "0E"})
    with pytest.raises(UserError, match="differ by more than 1e-12"):
        require_close({"a": 1.0, "b": 1.0 + 1e-11}, 1e-12)
    with pytest.raises(UserError, match="b computes something else"):
        require_close({"a": 1.0, "b": float("nan")}, 1e-12)


def interval(low, value, high):
    return Interval(value, low, high, 6, 0.97)


@pytest.mark.parametrize(
    ("bounds", "found", "verdict"),
    [
        (SLOWER, (1.1, 1.2, 1.3), HOLDS),
        (SLOWER, (1.0, 1.2, 1.3), OPEN),
        (SLOWER, (0.9, 1.0, 1.04), FAILS),
        (ALIKE, (0.9, 1.0, 1.2), HOLDS),
        (ALIKE, (1.3, 1.4, 1.5), FAILS),
        (ALIKE, (0.5, 1.0, 1.5), OPEN),
    ],
)
def test_a_verdict_needs_the_whole_interval(bounds, found, verdict):
    assert bounds.verdict(interval(*found)) == verdict


def test_conclusions_that_do_not_hold_are_named():
    said = held({"gcc": {"first": HOLDS, "second": FAILS, "third": OPEN}, "clang": {"first": HOLDS}})
    assert said == (
        "Conclusions of the publication that hold here: with gcc 1 of 3 (does not hold: second; open: third); with clang 1 of 1."
    )
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
