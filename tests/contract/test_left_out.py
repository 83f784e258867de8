"""A library that is missing costs the leaves and tools that need it, by name, and not the build."""

import json
import os
import subprocess

import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts import native, programs
from hakaru.own.setup.needs import missing

# Read by CMake after project(): libraries and headers of ours that are looked for by name are not found.
HIDE = """
foreach(command find_library find_path)
  cmake_language(EVAL CODE "
macro(${command} name)
  if(\\"\\${name}\\" MATCHES \\"^HAKARU_\\")
    set(\\${name} \\"\\${name}-NOTFOUND\\")
  else()
    _${command}(\\${name} \\${ARGN})
  endif()
endmacro()")
endforeach()
"""


@pytest.fixture(scope="module")
def configured(tmp_path_factory):
    """A build folder that was configured where pkg-config finds nothing, and neither BLAS, LAPACKE nor toml++ is there."""
    folder = tmp_path_factory.mktemp("build")
    (folder / "hide.cmake").write_text(HIDE)
    hidden = f"-DCMAKE_PROJECT_hakaru_INCLUDE={folder}/hide.cmake"
    done = subprocess.run(
        ["cmake", "--preset", "release", "-S", str(root()), "-B", str(folder), hidden],
        env=os.environ | {"PKG_CONFIG_LIBDIR": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_leaves_are_left_out_by_name(configured):
    listed = json.loads((configured / "programs.json").read_text())
    absent = {one["name"]: one["needs"] for one in listed["left_out"]}
    assert absent["turbulence"] == "FFTW3" and absent["hakaru_trace_convert"] == "OTF2"
    assert absent["binding"] == absent["sharing"] == "hwloc"
    assert "highway" in absent["himeno"] and "BLAS" in absent["matmul"]
    there = {one["name"] for one in listed["programs"]} | {one["name"] for one in listed["tools"]}
    assert {"heat", "messages", "memory_latency", "threads", "hakaru_replay"} <= there
    assert not there & set(absent)


def test_a_leaf_that_is_left_out_says_what_it_needs(configured, monkeypatch):
    monkeypatch.setenv("HAKARU_BUILD", str(configured))
    with pytest.raises(UserError, match="turbulence is left out here .it needs FFTW3"):
        programs.listed("turbulence")
    assert "turbulence" not in [one.name for one in programs.known()]


def test_nothing_is_left_out_where_everything_is_installed():
    if missing(("build",)):
        assert native.left_out()
    else:
        assert native.left_out() == ()
