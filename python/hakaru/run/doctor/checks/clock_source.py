"""What the kernel reads the time from; slow sources cost a system call and a microsecond a reading."""

from hakaru.run.doctor.finding import Finding, bad, fine, unavailable
from hakaru.run.doctor.system import System

title = "clock source"

FOLDER = "sys/devices/system/clocksource/clocksource0"
READ_WITHOUT_SYSTEM_CALL = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase")


def check(system: System) -> Finding:
    current = system.read(f"{FOLDER}/current_clocksource")
    if current is None:
        return unavailable("the kernel does not say what it reads the time from")
    if current in READ_WITHOUT_SYSTEM_CALL:
        return fine(f"{current}: cheap to read")
    others = (system.read(f"{FOLDER}/available_clocksource") or "").split()
    if "tsc" in others:
        return bad(f"{current}: slow to read", f"echo tsc | sudo tee /{FOLDER}/current_clocksource")
    return bad(f"{current}: slow to read", "time only phases of many microseconds")
