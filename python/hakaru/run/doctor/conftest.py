"""A machine made of files below a temporary folder, with fixed answers to everything else."""

import errno
from pathlib import Path

import pytest

from hakaru.run.doctor.system import System


class FakeSystem(System):
    """``files`` maps paths below the root to contents; the attributes are the answers of the system calls."""

    def __init__(self, root: Path):
        super().__init__(root, {})
        self.cores = [0, 1]
        self.counter_error = errno.ENOENT
        self.samples: dict[int, list[float]] = {}
        self.programs: dict[str, str] = {}
        self.kernels: dict[str, str] = {}
        self.blis: tuple[str, list[str]] | None = None
        self.unreadable: set[str] = set()

    def file(self, path: str, text: str) -> "FakeSystem":
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text + "\n")
        return self

    def link(self, path: str, target: str) -> "FakeSystem":
        self.file(target, "")
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.symlink_to(self.root / target)
        return self

    def readable(self, path):
        return path.name not in self.unreadable and super().readable(path)

    def which(self, program):
        return f"/usr/bin/{program}" if program in self.programs else None

    def run(self, command):
        return self.programs.get(command[0])

    def usable_processors(self):
        return self.cores

    def open_cycle_counter(self):
        return self.counter_error

    def library_text(self, library, function):
        return self.kernels.get(function)

    def blis_kernels(self, library):
        return self.blis

    def fixed_work_s(self, core, duration_s):
        return self.samples.get(core, [])


@pytest.fixture
def machine(tmp_path):
    return FakeSystem(tmp_path)
