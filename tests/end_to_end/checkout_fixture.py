"""A small checkout with the real launcher and set-up code, and stand-ins for the tools that set-up calls."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.paths import root

COPIED = (
    "hakaru",
    "python/hakaru/__init__.py",
    "python/hakaru/base/errors.py",
    "python/hakaru/base/output.py",
    "python/hakaru/base/paths.py",
    "python/hakaru/base/processes.py",
    "python/hakaru/start.py",
)

COMMAND_LINE = """
import sys
def main(prepare):
    prepare()
    print("arguments:", sys.argv[1:])
"""

# each stand-in writes down how it was called; <name>.fails beside it makes it fail, <name>.slow makes it slow
STAND_IN = """#!/usr/bin/env bash
echo "$(basename "$0") $*" >> "$CALLS"
echo "output of $(basename "$0")"
if [[ -e $0.slow ]]; then sleep 1; fi
if [[ -e $0.fails ]]; then
  echo "FAILED: native/a.cpp.o"; echo "a.cpp:1: error: from https://packages.example/simple"; exit 1
fi
"""
CMAKE = (
    STAND_IN + 'while [[ $# -gt 0 ]]; do if [[ $1 == -B ]]; then touch "$2/build.ninja"; fi; shift; done\n'
)
PYTHON = """#!/usr/bin/env bash
if [[ $1 == -m && $2 == venv ]]; then
  echo "python3 $*" >> "$CALLS"
  for target; do :; done
  mkdir -p "$target/bin" "$target/lib/python3.11/site-packages"
  cp "$0" "$target/bin/python"; touch "$target/bin/pip"
elif [[ $1 == -m && $2 == pip ]]; then
  echo "pip $3" >> "$CALLS"
  if [[ -e $TOOLS/pip.fails ]]; then cat "$TOOLS/pip.fails"; exit 1; fi
else
  paths=$(dirname "$0")/../lib/python3.11/site-packages/hakaru.pth
  if [[ -f $paths ]]; then export PYTHONPATH; PYTHONPATH=$(<"$paths"); fi
  exec REAL_PYTHON "$@"
fi
"""


@dataclass
class Checkout:
    """A checkout in a temporary folder."""

    root: Path
    tools: Path
    calls_file: Path

    def run(
        self, *arguments: str, folder: Path | None = None, launcher: Path | None = None, **variables: str
    ):
        """Starts the launcher; what the stand-ins were asked is in ``calls()``."""
        return subprocess.run(
            [str(launcher or self.root / "hakaru"), *arguments],
            cwd=folder or self.root,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def environment(self, **variables: str) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "HAKARU", "PIP"))
        }
        paths = {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "TOOLS": str(self.tools),
            "CALLS": str(self.calls_file),
        }
        return {**kept, **paths, "PYTHONDONTWRITEBYTECODE": "1", **variables}

    def calls(self) -> list[str]:
        """Names of the tools called since the last look."""
        return [" ".join(line.split()[: 2 if line.startswith("pip") else 1]) for line in self.call_lines()]

    def call_lines(self) -> list[str]:
        """The whole command lines since the last look; without the question how much there is to do (``ninja -t``)."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return [line for line in lines if not (line.startswith("ninja") and " -t " in line)]

    def built(self) -> list[list[str]]:
        """The targets of every build since the last look."""
        return [
            line.split()[line.split().index("-j") + 2 :]
            for line in self.call_lines()
            if line.startswith("ninja")
        ]

    def tool(self, name: str, text: str) -> None:
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)


def substitute(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path.name} no longer contains {old}"
    path.write_text(text.replace(old, new))


def make_checkout(folder: Path) -> Checkout:
    """Copies what the launcher needs; every tool that set-up would look for is found."""
    checkout = Checkout(folder / "a checkout", folder / "tools", folder / "calls")
    for name in COPIED:
        target = checkout.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root() / name, target)
    package = checkout.root / "python" / "hakaru"
    shutil.copytree(
        root() / "python" / "hakaru" / "own" / "setup",
        package / "own" / "setup",
        ignore=shutil.ignore_patterns("test_*"),
    )
    substitute(package / "own" / "setup" / "packages.py", "NEEDS, Need, missing", "Need, missing\nNEEDS = ()")
    substitute(package / "own" / "setup" / "environment.py", "sys.executable", '"python3"')
    (package / "cli").mkdir()
    (package / "cli" / "__init__.py").write_text(COMMAND_LINE)
    (package / "cli" / "work.py").write_text("")
    (package / "cli" / "talk.py").write_text("targets = ()\n")
    (package / "cli" / "one.py").write_text('targets = ("himeno",)\n')
    (package / "cli" / "two.py").write_text("def targets(words):\n    return words\n")
    (package / "cli" / "test.py").write_text('targets = ("all",)\nparts = ("tests",)\n')
    (checkout.root / "requirements").mkdir()
    for part in ("commands", "tests"):
        (checkout.root / "requirements" / f"{part}.lock").write_text("typer==1.0 \\\n    --hash=sha256:00\n")
    (checkout.root / "native" / "base").mkdir(parents=True)
    (checkout.root / "native" / "base" / "a.cpp").write_text("int a;\n")
    (checkout.root / "CMakeLists.txt").write_text("project(test)\n")
    checkout.tools.mkdir()
    checkout.tool("cmake", CMAKE)
    checkout.tool("ninja", STAND_IN)
    checkout.tool("apt-get", STAND_IN)
    checkout.tool("python3", PYTHON.replace("REAL_PYTHON", f'"{os.path.realpath(sys.executable)}"'))
    return checkout
