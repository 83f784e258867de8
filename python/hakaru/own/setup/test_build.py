"""What the build's output means; the whole of set-up is tested through the launcher in tests/end_to_end."""

import pytest

from hakaru.base.errors import UserError
from hakaru.own import setup
from hakaru.own.setup import build


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "[12/345] Building CXX object native/CMakeFiles/hakaru_base.dir/base/clock.cpp.o",
            "12/345 native/base/clock.cpp",
        ),
        ("[2/2] Linking CXX executable bin/himeno", "2/2 bin/himeno"),
        ("ninja: no work to do.", None),
    ],
)
def test_progress_out_of_ninjas_output(line, shown):
    assert build.ninja_state(line) == shown


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("[1/2] x\nFAILED: native/a.cpp.o\nerror", "native/a.cpp.o was not built"),
        ("fatal error: error writing to a.s: No space left on device", "the disk is full"),
        ("c++: fatal error: Killed signal terminated program cc1plus", "the compiler ran out of memory"),
    ],
)
def test_why_a_build_failed(output, why):
    assert build.explain_build(output)[0] == why


def test_why_configuring_failed():
    output = 'CMake Error: Could not find a package configuration file provided by "fmt" with any'
    assert build.explain_configure(output)[0] == "CMake did not find fmt"
    assert build.explain_configure("Could NOT find MPI_CXX (missing: MPI)")[0] == "CMake did not find MPI_CXX"


def test_the_number_of_compilers_can_be_given(monkeypatch):
    monkeypatch.setenv("CMAKE_BUILD_PARALLEL_LEVEL", "3")
    assert build.jobs() == 3
    monkeypatch.setenv("CMAKE_BUILD_PARALLEL_LEVEL", "0")
    with pytest.raises(UserError, match="not a number of compilers"):
        build.jobs()


def test_a_build_folder_of_another_checkout_is_recognised(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    assert not build.configured_elsewhere()
    cache = tmp_path / "CMakeCache.txt"
    cache.write_text("A:STRING=1\nCMAKE_HOME_DIRECTORY:INTERNAL=/somewhere/else\n")
    assert build.configured_elsewhere()
    cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={build.root()}\n")
    assert not build.configured_elsewhere()


def test_an_estimate_counts_files_and_cores():
    assert build.estimate(1, 1) == f"1 file to compile, about {build.FILE_S:.0f} s on 1 core"
    assert build.estimate(600, 2).endswith(f"about {300 * build.FILE_S / 60:.0f} min on 2 cores")


def test_only_a_command_of_the_launcher_builds_more(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    asked = []
    monkeypatch.setattr(build, "ensure_built", asked.append)
    build.build_more(("himeno",))
    assert asked == [] and not build.would_build(("himeno",))
    monkeypatch.setattr(setup, "launched", True)
    build.build_more(("himeno",))
    assert asked == [("himeno",)] and build.would_build(("himeno",))


def test_programs_built_elsewhere_are_used_where_nothing_can_be_built(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "missing", lambda purposes: ["a C++ compiler"])
    assert not build.built_elsewhere(("hakaru_replay",))  # no folder is named
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    (tmp_path / "programs.json").write_text("{}")
    assert not build.built_elsewhere(("hakaru_replay",))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hakaru_replay").write_text("")
    assert build.built_elsewhere(("hakaru_replay",)) and build.built_elsewhere(())
    assert not build.built_elsewhere(("hakaru_replay", "himeno"))
    monkeypatch.setattr(build, "missing", lambda purposes: [])
    assert not build.built_elsewhere(("hakaru_replay",))


def test_what_is_left_out_is_told_and_the_others_are_built(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    (tmp_path / "build.ninja").write_text("")
    (tmp_path / "programs.json").write_text('{"left_out": [{"name": "turbulence", "needs": "FFTW3"}]}')
    monkeypatch.setattr(build.stamps, "needs_configuring", lambda *_: False)
    monkeypatch.setattr(build, "missing", lambda purposes: ["FFTW 3"])
    started = []
    monkeypatch.setattr(build, "run_step", lambda title, command, *_, **__: started.append(command))
    build.build(("turbulence", "himeno"), "two")
    assert "left out: turbulence (it needs FFTW3, which is not here)" in capsys.readouterr().err
    assert [command[-1] for command in started] == ["himeno"] and "turbulence" not in started[0]
    monkeypatch.setattr(build, "missing", lambda purposes: [])
    assert build.has_come()  # so it configures again
