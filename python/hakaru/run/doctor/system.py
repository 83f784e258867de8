"""The machine as the checks see it: files below a root, programs, system calls; tests replace all three."""

import ctypes
import errno
import gc
import hashlib
import os
import platform
import shutil
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

# perf_event_open(2): PERF_TYPE_HARDWARE = 0, PERF_COUNT_HW_CPU_CYCLES = 0;
# the flags are disabled, exclude_kernel, exclude_hv
_PERF_SYSCALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}
_PERF_ATTRIBUTE_BYTES = 128
_PERF_FLAGS = (1 << 0) | (1 << 5) | (1 << 6)

# BLIS's last kernel, which knows no processor
GENERIC, MOST_KERNELS = "generic", 64

FIXED_WORK_BYTES = 256 * 1024


class System:
    """Reads ``/proc`` and ``/sys`` below ``root``; what else a check needs is a method that tests replace."""

    def __init__(self, root: Path = Path("/"), environment: Mapping[str, str] | None = None):
        self.root = Path(root)
        self.environment = os.environ if environment is None else environment

    def read(self, path: str) -> str | None:
        """Contents of a file without surrounding blanks, or None when it is missing or may not be read."""
        try:
            return (self.root / path.lstrip("/")).read_text(errors="replace").strip()
        except OSError:
            return None

    def glob(self, pattern: str) -> list[Path]:
        return sorted(self.root.glob(pattern.lstrip("/")))

    def readable(self, path: Path) -> bool:
        """True when the file can be read by this user."""
        try:
            path.read_bytes()
        except OSError:
            return False
        return True

    def real_path(self, path: str) -> str | None:
        """Where a chain of links ends, or None when nothing is there."""
        full = self.root / path.lstrip("/")
        return os.path.realpath(full) if full.exists() else None

    def which(self, program: str) -> str | None:
        return shutil.which(program)

    def run(self, command: Sequence[str]) -> str | None:
        """Standard output of a program, or None when it is missing, fails, or takes more than 5 s."""
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=5, stdin=subprocess.DEVNULL, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def usable_processors(self) -> list[int]:
        return sorted(os.sched_getaffinity(0))

    def cpu_flags(self) -> set[str]:
        """Feature flags of /proc/cpuinfo (``flags`` on x86, ``Features`` on Arm)."""
        return set((self._cpu("flags") or self._cpu("Features")).split())

    def is_virtual(self) -> bool:
        """True where a hypervisor is under the kernel, as far as it says so."""
        return "hypervisor" in self.cpu_flags() or bool(self.read("sys/hypervisor/type"))

    def cpu_name(self) -> str:
        """What x86 processors call themselves; empty elsewhere."""
        return self._cpu("model name")

    def _cpu(self, wanted: str) -> str:
        for line in (self.read("proc/cpuinfo") or "").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == wanted:
                return value.strip()
        return ""

    def open_cycle_counter(self) -> int:
        """Opens a hardware cycle counter for this process and closes it; 0, or the error number."""
        number = _PERF_SYSCALL.get(platform.machine())
        if number is None:
            return errno.ENOSYS
        attribute = struct.pack("IIQQQQQ", 0, _PERF_ATTRIBUTE_BYTES, 0, 0, 0, 0, _PERF_FLAGS)
        buffer = ctypes.create_string_buffer(attribute.ljust(_PERF_ATTRIBUTE_BYTES, b"\0"))
        library = ctypes.CDLL(None, use_errno=True)
        descriptor = library.syscall(number, buffer, 0, -1, -1, 0)
        if descriptor < 0:
            return ctypes.get_errno()
        os.close(descriptor)
        return 0

    def library_text(self, library: str, function: str) -> str | None:
        """Calls ``const char* function(void)`` of a shared library; None when it has no such function."""
        try:
            call = getattr(ctypes.CDLL(library), function)
        except (OSError, AttributeError):
            return None
        call.restype = ctypes.c_char_p
        answer = call()
        return answer.decode(errors="replace") if answer else None

    def blis_kernels(self, library: str) -> tuple[str, list[str]] | None:
        """The kernel that BLIS chose, and all that it has, by number; None when it does not say."""
        beside = sorted(Path(library).parent.glob("libblis.so.*"))  # Debian's libblas.so.3 hides them
        return next((found for path in (library, *beside) if (found := _kernels(str(path)))), None)

    def fixed_work_s(self, core: int, duration_s: float) -> list[float]:
        """Times of the same work (a hash of 256 KiB, which fits the caches) again and again on one core."""
        before = os.sched_getaffinity(0)
        data = bytes(FIXED_WORK_BYTES)
        collecting = gc.isenabled()
        samples: list[float] = []
        try:
            os.sched_setaffinity(0, {core})
            gc.disable()
            end = time.perf_counter() + duration_s
            mark = time.perf_counter()
            while mark < end:
                begin = time.perf_counter()
                hashlib.sha256(data).digest()
                mark = time.perf_counter()
                samples.append(mark - begin)
        finally:
            os.sched_setaffinity(0, before)
            if collecting:
                gc.enable()
        return samples


def _kernels(library: str) -> tuple[str, list[str]] | None:
    try:
        loaded = ctypes.CDLL(library)
        name, number = loaded.bli_arch_string, loaded.bli_arch_query_id
    except (OSError, AttributeError):
        return None
    name.restype = ctypes.c_char_p
    names: list[str] = []
    while GENERIC not in names and len(names) < MOST_KERNELS:
        names.append((name(len(names)) or b"").decode(errors="replace"))
    chosen = number()
    return (names[chosen], names) if 0 <= chosen < len(names) else None
