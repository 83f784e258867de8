"""Installing with a stand-in for apt-get: nothing on this machine changes."""

import pytest

from hakaru.base.errors import UserError
from hakaru.own.setup import packages
from hakaru.own.setup.needs import Need

APT_GET = """#!/bin/sh
echo "$*" >> {folder}/calls
case "$*" in
  *update*) touch {folder}/updated ;;
  *install*)
    if [ -e {folder}/needs-update ] && [ ! -e {folder}/updated ]; then
      echo "E: Unable to locate package"; exit 100
    fi
    if [ -e {folder}/unreachable ]; then
      echo "Err:1 http://mirror.example/debian x"; echo "E: Failed to fetch http://mirror.example/a"; exit 100
    fi
    touch {folder}/installed ;;
esac
"""


@pytest.fixture
def apt(tmp_path, monkeypatch):
    """A machine with apt-get where we are root; returns its folder."""
    tool = tmp_path / "apt-get"
    tool.write_text(APT_GET.format(folder=tmp_path))
    tool.chmod(0o755)
    known = tmp_path / "apt-cache"
    known.write_text("#!/bin/sh\nexit 0\n")
    known.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(packages, "privileged_prefix", lambda: ())
    monkeypatch.setattr(packages, "log_file", lambda step: tmp_path / f"{step}.log")
    return tmp_path


def needs(folder):
    return (
        Need("a library", lambda: (folder / "installed").exists(), ("liba-dev", "libb-dev")),
        Need("another", lambda: (folder / "installed").exists(), ("libb-dev",), "mpich"),
        Need("present", lambda: True, ("libc-dev",)),
    )


def calls(folder):
    return (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []


def test_what_is_missing_is_installed_once(apt, capfd):
    packages.ensure_packages(("build", "mpich"), needs(apt))
    (call,) = calls(apt)
    assert call.startswith("install --yes") and call.endswith(" liba-dev libb-dev")
    packages.ensure_packages(("build", "mpich"), needs(apt))
    assert len(calls(apt)) == 1
    assert "missing: a library, another" in capfd.readouterr().err


def test_nothing_is_called_when_nothing_is_missing(apt, capfd):
    (apt / "installed").touch()
    packages.ensure_packages(("build", "mpich"), needs(apt))
    assert calls(apt) == [] and capfd.readouterr().err == ""


def test_package_lists_are_read_when_they_are_missing(apt):
    (apt / "needs-update").touch()
    packages.ensure_packages(("build",), needs(apt))
    assert [call.split()[0] for call in calls(apt)] == ["install", "update", "install"]


def test_unknown_packages_begin_with_the_lists(apt):
    (apt / "apt-cache").write_text("#!/bin/sh\nexit 100\n")
    packages.ensure_packages(("build",), needs(apt))
    assert [call.split()[0] for call in calls(apt)] == ["update", "install"]


def test_without_connection_it_says_so_and_names_no_host(apt, capfd):
    (apt / "unreachable").touch()
    with pytest.raises(UserError, match="cannot be reached from here") as caught:
        packages.ensure_packages(("build",), needs(apt))
    assert caught.value.exit_code == 4
    assert "mirror.example" not in str(caught.value) + capfd.readouterr().err


def test_without_permission_the_one_line_names_everything(apt, monkeypatch):
    monkeypatch.setattr(packages, "privileged_prefix", lambda: None)
    with pytest.raises(UserError) as caught:
        packages.ensure_packages(("build",), needs(apt), report=("mpich",))
    assert caught.value.exit_code == 4
    (line,) = [line for line in str(caught.value).splitlines() if "apt-get" in line]
    assert (
        line.strip()
        == "sudo sh -c 'apt-get update && apt-get install --yes --no-install-recommends liba-dev libb-dev'"
    )
    assert calls(apt) == []


def test_without_permission_what_only_leaves_need_is_told_when_building(apt, monkeypatch, capfd):
    monkeypatch.setattr(packages, "privileged_prefix", lambda: None)
    wanted = (Need("a Fortran compiler", lambda: False, ("gfortran",), "fortran", of_leaves=True),)
    packages.ensure_packages(("build", "fortran"), wanted)
    assert "a Fortran compiler; what needs them is left out" in capfd.readouterr().err
    with pytest.raises(UserError, match="a Fortran compiler"):
        packages.ensure_packages(("fortran",), wanted)


def test_without_apt_get_the_packages_are_named(apt, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="no apt-get.*liba-dev libb-dev") as caught:
        packages.ensure_packages(("build",), needs(apt))
    assert caught.value.exit_code == 4


def test_packages_that_do_not_bring_what_they_should_are_named(apt):
    useless = (Need("a library", lambda: False, ("liba-dev",)),)
    with pytest.raises(UserError, match="still missing after installing: a library"):
        packages.ensure_packages(("build",), useless)


def test_permission_is_asked_of_sudo_without_a_password(tmp_path, monkeypatch):
    monkeypatch.setattr(packages.os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert packages.privileged_prefix() is None
    sudo = tmp_path / "sudo"
    sudo.write_text("#!/bin/sh\n[ \"$*\" = '-n true' ]\n")
    sudo.chmod(0o755)
    assert packages.privileged_prefix() == ("sudo", "-n")
    sudo.write_text("#!/bin/sh\nexit 1\n")
    assert packages.privileged_prefix() is None


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "Get:12 http://mirror.example/debian bookworm/main amd64 cmake amd64 3.25.1-1 [8692 kB]",
            "fetching cmake",
        ),
        ("Unpacking cmake (3.25.1-1) ...", "unpacking cmake"),
        ("Setting up cmake (3.25.1-1) ...", "setting up cmake"),
        ("Reading package lists...", None),
    ],
)
def test_progress_out_of_apts_output(line, shown):
    assert packages.apt_state(line) == shown


@pytest.mark.parametrize("able", [True, False])
def test_what_only_leaves_need_is_told_where_it_cannot_be_installed(apt, monkeypatch, capfd, able):
    optional = (Need("a library", lambda: (apt / "installed").exists(), ("liba-dev",), of_leaves=True),)
    if not able:
        monkeypatch.setattr(packages, "privileged_prefix", lambda: None)
    packages.ensure_packages(("build",), optional)
    assert bool(calls(apt)) == able
    assert ("what needs them is left out by name" in capfd.readouterr().err) != able


def test_a_compiler_is_no_need_of_leaves(apt, monkeypatch):
    monkeypatch.setattr(packages, "privileged_prefix", lambda: None)
    both = (
        Need("a library", lambda: False, ("liba-dev",), of_leaves=True),
        Need("g", lambda: False, ("g++",)),
    )
    with pytest.raises(UserError, match="missing: a library, g"):
        packages.ensure_packages(("build",), both)
