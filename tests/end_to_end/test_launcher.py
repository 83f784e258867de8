"""The launcher and set-up from outside, with stand-ins for cmake, ninja, pip and apt-get."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from end_to_end.checkout_fixture import make_checkout

ENVIRONMENT_CALLS = ["python3", "pip install", "pip check"]
BUILD_CALLS = ["cmake", "ninja"]


@pytest.fixture
def checkout(tmp_path):
    return make_checkout(tmp_path)


@pytest.fixture
def ready(checkout):
    """A checkout that has been set up and built."""
    done = checkout.run("work")
    assert done.returncode == 0, done.stderr
    checkout.calls()
    return checkout


def later(path: Path) -> None:
    """Writes to a file and dates it after everything else, however coarse the file system's clock is."""
    with open(path, "a") as handle:
        handle.write("// changed\n")
    ahead_ns = time.time_ns() + 10**9
    os.utime(path, ns=(ahead_ns, ahead_ns))


def test_first_use_sets_up_and_builds(checkout):
    done = checkout.run("work", "n=128", "two words")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "arguments: ['work', 'n=128', 'two words']\n"
    assert checkout.calls() == ENVIRONMENT_CALLS + BUILD_CALLS


def test_later_uses_call_no_tool(ready):
    done = ready.run("work")
    assert done.stdout == "arguments: ['work']\n"
    assert done.stderr == ""
    assert ready.calls() == []


@pytest.mark.parametrize("arguments", [["--help"], ["talk"], ["work", "--help"], ["unknown"], []])
def test_help_and_commands_without_programs_do_not_build(checkout, arguments):
    assert checkout.run(*arguments).returncode == 0
    assert checkout.calls() == ENVIRONMENT_CALLS


def test_a_command_builds_what_it_names_and_no_test(checkout):
    assert checkout.run("one").returncode == 0
    assert checkout.built() == [["himeno"]]
    assert checkout.run("one").returncode == 0
    assert checkout.calls() == []


def test_another_command_builds_what_it_needs_more(checkout):
    checkout.run("one")
    checkout.calls()
    assert checkout.run("two", "himeno", "cg").returncode == 0
    assert checkout.built() == [["cg"]]
    assert checkout.run("two", "cg", "himeno").returncode == 0
    assert checkout.built() == []


def test_a_command_that_names_nothing_builds_every_program(ready):
    assert ready.run("one").returncode == 0
    assert ready.built() == []
    assert ready.run("test").returncode == 0
    assert ready.built() == [["all"]]


def test_all_programs_are_more_than_one_of_them(checkout):
    checkout.run("one")
    checkout.calls()
    assert checkout.run("work").returncode == 0
    assert checkout.built() == [["hakaru_programs"]]


def test_a_changed_source_is_new_to_every_target(checkout):
    checkout.run("one")
    checkout.run("two", "cg")
    checkout.calls()
    later(checkout.root / "native" / "base" / "a.cpp")
    checkout.run("one")
    assert checkout.built() == [["himeno"]]
    checkout.run("two", "cg", "himeno")
    assert checkout.built() == [["cg"]]


def test_a_build_that_failed_leaves_the_other_targets_built(checkout):
    checkout.run("one")
    checkout.calls()
    (checkout.tools / "ninja.fails").touch()
    assert checkout.run("two", "cg").returncode == 4
    checkout.calls()
    (checkout.tools / "ninja.fails").unlink()
    checkout.run("one")
    assert checkout.built() == []
    checkout.run("two", "cg")
    assert checkout.built() == [["cg"]]


def test_a_command_whose_words_name_no_program_is_configured_only(checkout):
    assert checkout.run("two").returncode == 0
    assert checkout.calls() == [*ENVIRONMENT_CALLS, "cmake"]


def test_help_after_two_dashes_belongs_to_the_users_program(checkout):
    assert checkout.run("work", "--", "./code", "--help").returncode == 0
    assert checkout.calls() == ENVIRONMENT_CALLS + BUILD_CALLS


def test_works_from_any_folder_and_through_a_link(ready, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "hakaru.py").write_text("raise SystemExit('imported from the current folder')\n")
    (elsewhere / "typing.py").write_text("raise SystemExit('imported from the current folder')\n")
    link = tmp_path / "link"
    link.symlink_to(ready.root / "hakaru")
    done = ready.run("work", folder=elsewhere, launcher=link)
    assert done.stdout == "arguments: ['work']\n"
    assert ready.calls() == []


def test_a_changed_source_builds_without_configuring(ready):
    later(ready.root / "native" / "base" / "a.cpp")
    assert ready.run("work").returncode == 0
    assert ready.calls() == ["ninja"]
    assert ready.run("work").returncode == 0
    assert ready.calls() == []


def test_added_and_removed_files_configure_again(ready):
    added = ready.root / "native" / "base" / "b.cpp"
    added.write_text("int b;\n")
    later(added)
    later_folder(added.parent, 2)
    ready.run("work")
    assert ready.calls() == BUILD_CALLS
    added.unlink()
    later_folder(added.parent, 3)
    ready.run("work")
    assert ready.calls() == BUILD_CALLS


def later_folder(folder: Path, seconds: int) -> None:
    ahead_ns = time.time_ns() + seconds * 10**9
    os.utime(folder, ns=(ahead_ns, ahead_ns))


def test_changed_text_and_python_files_do_not_build(ready):
    for name in ("README.md", "distil.py"):
        later(ready.root / "native" / "base" / name)
    os.utime(ready.root / "native" / "base", ns=(1, 1))
    ready.run("work")
    assert ready.calls() == []


def test_changed_requirements_renew_the_environment(ready):
    with open(ready.root / "requirements" / "commands.lock", "a") as handle:
        handle.write("rich==2.0 \\\n    --hash=sha256:11\n")
    ready.run("work")
    assert ready.calls() == ["pip install", "pip check"]
    ready.run("work")
    assert ready.calls() == []


def test_a_moved_checkout_is_set_up_again(ready):
    ready.root = shutil.move(ready.root, ready.root.with_name("moved"))
    assert ready.run("work").returncode == 0
    assert ready.calls() == ENVIRONMENT_CALLS + BUILD_CALLS


def test_each_mpi_library_has_its_own_build_folder(ready):
    assert ready.run("work", HAKARU_MPI="mpich").returncode == 0
    assert ready.calls() == BUILD_CALLS
    assert (ready.root / "build" / "release-mpich" / "build.ninja").exists()
    ready.run("work")
    assert ready.calls() == []


def test_an_unknown_mpi_library_is_refused(ready):
    done = ready.run("work", HAKARU_MPI="lam")
    assert done.returncode == 2
    assert "HAKARU_MPI=lam is not known" in done.stderr and "use openmpi or mpich" in done.stderr


def test_a_failed_build_says_why_leaves_no_stamp_and_resumes(checkout):
    flag = checkout.tools / "ninja.fails"
    flag.touch()
    done = checkout.run("work")
    assert done.returncode == 4
    assert "a.cpp:1: error" in done.stderr and "native/a.cpp.o was not built" in done.stderr
    log = checkout.root / ".hakaru" / "log" / "build-release.log"
    assert str(log) in done.stderr and "output of ninja" in log.read_text()
    assert "packages.example" not in done.stderr
    assert done.stdout == ""
    assert checkout.calls() == ENVIRONMENT_CALLS + BUILD_CALLS
    flag.unlink()
    assert checkout.run("work").returncode == 0
    assert "ninja" in checkout.calls()


def test_a_rebuild_that_fails_is_not_taken_for_a_build(ready):
    later(ready.root / "native" / "base" / "a.cpp")
    (ready.tools / "ninja.fails").touch()
    assert ready.run("work").returncode == 4
    assert ready.run("work").returncode == 4


def test_without_connection_the_environment_says_so_and_resumes(checkout):
    flag = checkout.tools / "pip.fails"
    flag.write_text("WARNING: Retrying: 'Temporary failure in name resolution', host='index.example'\n")
    done = checkout.run("work")
    assert done.returncode == 4
    assert "cannot be fetched from here" in done.stderr and "PIP_FIND_LINKS" in done.stderr
    assert "index.example" not in done.stderr
    assert checkout.calls() == ["python3", "pip install"]
    flag.unlink()
    assert checkout.run("work").returncode == 0
    assert checkout.calls() == ["pip install", "pip check", *BUILD_CALLS]


def test_two_at_once_set_up_once(checkout):
    (checkout.tools / "ninja.slow").touch()
    command = [str(checkout.root / "hakaru"), "work"]
    running = [
        subprocess.Popen(
            command, env=checkout.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=60) for process in running]
    assert [out for out, _ in answers] == ["arguments: ['work']\n"] * 2
    assert "another set-up is at work" in "".join(error for _, error in answers)
    assert checkout.calls() == ENVIRONMENT_CALLS + BUILD_CALLS


def test_too_old_and_missing_interpreters_are_named(checkout):
    checkout.tool("python3", "#!/usr/bin/env bash\nexit 1\n")
    old = checkout.run("--help")
    assert old.returncode == 4 and "too old" in old.stderr
    missing = checkout.run("--help", HAKARU_PYTHON="python-of-tomorrow")
    assert missing.returncode == 4 and "there is no python-of-tomorrow" in missing.stderr


def test_a_checkout_that_cannot_be_written_is_named(checkout):
    (checkout.root / ".hakaru").write_text("a file where the folder should be\n")
    done = checkout.run("--help")
    assert done.returncode == 4 and "cannot write in" in done.stderr
    assert checkout.calls() == []


def test_no_colour_and_no_rewritten_lines_without_a_terminal(checkout):
    done = checkout.run("work")
    assert "\x1b" not in done.stderr and "\r" not in done.stderr
    assert "building the native programs done" in done.stderr
