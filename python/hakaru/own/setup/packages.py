"""Installs what is missing with apt-get when it may; otherwise says the one line that would."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.own.setup.needs import NEEDS, Need, missing
from hakaru.own.setup.places import log_file
from hakaru.own.setup.progress import run_step

INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends")


def privileged_prefix() -> tuple[str, ...] | None:
    """What makes a command run as root: nothing, ``sudo -n``, or None when neither works."""
    if os.geteuid() == 0:
        return ()
    if shutil.which("sudo"):
        allowed = subprocess.run(
            ["sudo", "-n", "true"], capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
        if allowed.returncode == 0:
            return ("sudo", "-n")
    return None


def debian_packages(needs: Sequence[Need]) -> list[str]:
    return list(dict.fromkeys(package for need in needs for package in need.packages))


def names_of(needs: Sequence[Need]) -> str:
    return ", ".join(need.name for need in needs)


def the_line(needs: Sequence[Need]) -> str:
    """The one line that a person with the root password types."""
    return f"sudo sh -c 'apt-get update && {' '.join(INSTALL)} {' '.join(debian_packages(needs))}'"


def explain_apt(output: str) -> tuple[str, str]:
    lowered = output.lower()
    if "could not resolve" in lowered or "failed to fetch" in lowered or "unable to connect" in lowered:
        return "the package servers cannot be reached from here", "connect this machine and start again"
    if "could not get lock" in lowered:
        return "another package manager is at work", "wait until it has ended and start again"
    if "no space left" in lowered:
        return "the disk is full", "make room and start again"
    return "apt-get could not install them", "install them by hand and start again"


def apt_state(line: str) -> str | None:
    """Progress out of apt's output: what is being fetched or set up."""
    words = line.split()
    if line.startswith("Get:") and len(words) > 4:
        return f"fetching {words[4]}"
    if line.startswith("Unpacking") and len(words) > 1:
        return f"unpacking {words[1]}"
    if line.startswith("Setting up") and len(words) > 2:
        return f"setting up {words[2]}"
    return None


def install(needs: Sequence[Need], prefix: tuple[str, ...]) -> None:
    """apt-get install; when the package lists are missing or old, update them and try once more."""
    packages = debian_packages(needs)
    log = log_file("packages")
    quiet = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
    options = ("-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=2")
    known = subprocess.run(["apt-cache", "show", *packages], capture_output=True, check=False).returncode == 0
    title = f"installing {len(packages)} Debian package{'s' if len(packages) > 1 else ''}"
    attempts = (False, True) if known else (True,)
    for update in attempts:
        try:
            if update:
                run_step(
                    "reading the package lists",
                    (*quiet, "apt-get", "update", *options),
                    log,
                    explain=explain_apt,
                )
            run_step(
                title, (*quiet, *INSTALL, *options, *packages), log, state=apt_state, explain=explain_apt
            )
            return
        except UserError:
            if update:
                raise


def ensure_packages(
    purposes: tuple[str, ...], needs: tuple[Need, ...] = NEEDS, report: tuple[str, ...] = ()
) -> None:
    """Finds what the ``purposes`` need and installs what is missing; touches no network when nothing is.

    When it may not install, the error's line names also what the purposes in ``report`` will need later:
    one line is enough. Where only needs of leaves are missing for building then, they are told and nothing is refused.
    """
    absent = missing(purposes, needs)
    if not absent:
        return
    able = shutil.which("apt-get") and privileged_prefix() is not None
    if not able and "build" in purposes and all(need.of_leaves for need in absent):
        told = f"hakaru: not here: {names_of(absent)}; what needs them is left out by name"
        print(f"{told} (they come with {' '.join(debian_packages(absent))})", file=sys.stderr, flush=True)
        return
    everything = missing(tuple(dict.fromkeys((*purposes, *report))), needs)
    if not shutil.which("apt-get"):
        raise UserError(
            f"missing: {names_of(everything)}",
            "this system has no apt-get",
            f"install with its own means what Debian calls {' '.join(debian_packages(everything))}",
            ENVIRONMENT,
        )
    prefix = privileged_prefix()
    if prefix is None:
        raise UserError(
            f"missing: {names_of(everything)}",
            "installing needs root",
            f"run\n\n  {the_line(everything)}\n",
            ENVIRONMENT,
        )
    print(f"hakaru: missing: {names_of(absent)}", file=sys.stderr, flush=True)
    install(absent, prefix)
    if still := missing(purposes, needs):
        raise UserError(
            f"still missing after installing: {names_of(still)}",
            f"Debian packages {' '.join(debian_packages(still))} did not bring them",
            f"see {log_file('packages')}",
            ENVIRONMENT,
        )
