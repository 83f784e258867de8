"""Every check on a machine where all is well, where it is not, and where nothing can be known."""

import errno
import platform

import pytest

from hakaru.run.doctor import checks as folder
from hakaru.run.doctor.checks import (
    binding,
    blas,
    clock_source,
    counters,
    cpu_limits,
    governor,
    host_name,
    huge_pages,
    load,
    mpi,
    noise,
    numa_balancing,
    power,
    smt,
    steal,
    swap,
    turbo,
    virtual_machine,
)
from hakaru.run.doctor.diagnosis import ORDER, diagnose, find_checks

CPU = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
OPENBLAS = "usr/lib/openblas-pthread/libblas.so.3"


def quiet(machine):
    machine.samples = {0: [1e-3] * 100, 1: [1.001e-3] * 100}


def interrupted(machine):
    machine.samples = {0: [1e-3] * 100, 1: [1e-3] * 90 + [2e-3] * 10}


def one_long_interruption(machine):
    machine.samples = {0: [1e-3] * 1000 + [1e-2], 1: [1e-3] * 1000}


def slow_second_core(machine):
    machine.samples = {0: [1e-3] * 100, 1: [1.2e-3] * 100}


def stat(steal_ticks):
    return lambda machine: machine.file(
        "proc/stat", f"cpu  800 0 200 9000 0 0 0 {steal_ticks} 0 0\ncpu0 1 2 3"
    )


def files(**contents):
    """Paths as keys are no identifiers: ``files(**{"path": "text"})``."""

    def prepare(machine):
        for path, text in contents.items():
            machine.file(path, text)

    return prepare


def blis(kernel, flags, name="some processor"):
    def prepare(machine):
        machine.link("etc/alternatives/libblas.so.3", "usr/lib/blis/libblas.so.3")
        machine.blis = (kernel, ["skx", "zen3", "generic"])
        machine.file("proc/cpuinfo", f"model name : {name}\nflags : {flags}")

    return prepare


def openblas(kernel, flags):
    def prepare(machine):
        machine.link("etc/alternatives/libblas.so.3-x86_64-linux-gnu", OPENBLAS)
        machine.kernels["openblas_get_corename"] = kernel
        machine.file("proc/cpuinfo", f"processor\t: 0\nflags\t\t: {flags}")

    return prepare


def programs(**answers):
    return lambda machine: machine.programs.update(
        {name.replace("_", "."): text for name, text in answers.items()}
    )


def environment(**variables):
    return lambda machine: machine.environment.update(variables)


def counter(error):
    return lambda machine: setattr(machine, "counter_error", error)


def nothing(machine):
    """A machine that says nothing."""


MEMORY = "MemTotal: 8000000 kB\nMemAvailable: {} kB\nSwapTotal: 2000000 kB\nSwapFree: {} kB"
OPEN_MPI = "mpirun.openmpi (OpenRTE) 4.1.4\n"
HYDRA = "HYDRA build details:\n    Version:                                 4.0.2\n"
UNIFIED = {"proc/self/cgroup": "0::/a/b", f"{CPU}/online": "0-1"}
HOST = platform.node()
CASES = [
    (
        host_name,
        files(**{"etc/hosts": f"127.0.0.1 localhost\n127.0.1.1 {HOST}.site {HOST} # mine"}),
        "ok",
        "stands in",
    ),
    (host_name, files(**{"etc/hosts": f"127.0.0.1 localhost # {HOST}"}), "warning", "may wait 5 s"),
    (host_name, files(**{"etc/nsswitch.conf": "hosts: files myhostname dns"}), "ok", "systemd"),
    (host_name, nothing, "warning", "may wait 5 s"),
    (noise, quiet, "ok", "of core"),
    (noise, interrupted, "warning", "10.0% of core 1"),
    (noise, one_long_interruption, "warning", "longest interruption 9 ms"),
    (noise, slow_second_core, "warning", "cores differ by 20.0%"),
    (noise, nothing, "not available here", "too few"),
    (steal, stat(0), "ok", "0.00%"),
    (steal, stat(1000), "warning", "50.00%"),
    (steal, nothing, "not available here", "no steal column"),
    (
        governor,
        files(**{f"{CPU}/cpu0/cpufreq/scaling_governor": "performance"}),
        "ok",
        "performance on all 1",
    ),
    (governor, files(**{f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave"}), "warning", "powersave"),
    (governor, nothing, "not available here", "no cpufreq"),
    (
        smt,
        files(**{f"{CPU}/smt/active": "0", f"{CPU}/cpu0/topology/thread_siblings_list": "0"}),
        "ok",
        "one hardware",
    ),
    (smt, files(**{f"{CPU}/smt/active": "1"}), "warning", "share cores"),
    (smt, files(**{f"{CPU}/cpu0/topology/thread_siblings_list": "0,4"}), "warning", "for example 0,4"),
    (smt, nothing, "not available here", "does not say"),
    (turbo, files(**{f"{CPU}/intel_pstate/no_turbo": "1"}), "ok", "off"),
    (turbo, files(**{f"{CPU}/intel_pstate/no_turbo": "0"}), "warning", "on"),
    (turbo, files(**{f"{CPU}/cpufreq/boost": "0"}), "ok", "off"),
    (turbo, files(**{f"{CPU}/cpufreq/boost": "1"}), "warning", "on"),
    (turbo, nothing, "not available here", "no switch"),
    (counters, counter(0), "ok", "opens"),
    (counters, counter(errno.ENOENT), "not available here", "shows none"),
    (counters, counter(errno.EACCES), "not available here", "not permitted"),
    (counters, counter(errno.EMFILE), "not available here", "EMFILE"),
    (power, files(**{"sys/class/powercap/intel-rapl:0/energy_uj": "5"}), "ok", "intel-rapl:0"),
    (power, files(**{"sys/class/hwmon/hwmon3/power1_input": "5"}), "ok", "hwmon3"),
    (power, files(**{"sys/cray/pm_counters/energy": "5 J 7 us"}), "ok", "pm_counters"),
    (power, nothing, "not available here", "no RAPL"),
    (cpu_limits, files(**UNIFIED), "ok", "2 cores;"),
    (cpu_limits, files(**UNIFIED, **{"sys/fs/cgroup/a/cpu.max": "max 100000"}), "ok", "2 cores;"),
    (cpu_limits, files(**UNIFIED, **{"sys/fs/cgroup/a/cpu.max": "150000 100000"}), "warning", "1.5 of 2"),
    (cpu_limits, files(**{f"{CPU}/online": "0-3,8"}), "warning", "2 of 5"),
    (
        cpu_limits,
        files(
            **{
                "proc/self/cgroup": "7:memory:/m\n4:cpu,cpuacct:/job",
                "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
            }
        ),
        "warning",
        "0.5 of 2",
    ),
    (binding, environment(OMPI_MCA_hwloc_base_binding_policy="core"), "ok", "binding_policy=core"),
    (binding, nothing, "warning", "Open MPI gives a rank one core"),
    (binding, environment(HAKARU_MPI="mpich"), "warning", "MPICH binds nothing"),
    (binding, environment(OMP_PROC_BIND="true"), "warning", "OMP_PROC_BIND=true"),
    (
        huge_pages,
        files(**{"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"}),
        "ok",
        "madvise",
    ),
    (
        huge_pages,
        files(**{"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"}),
        "ok",
        "always",
    ),
    (
        huge_pages,
        files(**{"sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]"}),
        "warning",
        "never",
    ),
    (huge_pages, nothing, "not available here", "none"),
    (swap, files(**{"proc/meminfo": MEMORY.format(6000000, 2000000)}), "ok", "0 MiB swapped"),
    (swap, files(**{"proc/meminfo": MEMORY.format(6000000, 1000000)}), "warning", "977 MiB swapped"),
    (swap, files(**{"proc/meminfo": MEMORY.format(800000, 2000000)}), "warning", "0.8 GiB of 7.6 GiB free"),
    (swap, nothing, "not available here", "cannot be read"),
    (load, files(**{"proc/loadavg": "0.10 0.20 0.30 1/100 1234"}), "ok", "0.10"),
    (load, files(**{"proc/loadavg": "3.10 0.20 0.30 1/100 1234"}), "warning", "3.10"),
    (load, nothing, "not available here", "cannot be read"),
    (clock_source, files(**{f"{CLOCK}/current_clocksource": "tsc"}), "ok", "tsc"),
    (
        clock_source,
        files(**{f"{CLOCK}/current_clocksource": "hpet", f"{CLOCK}/available_clocksource": "tsc hpet"}),
        "warning",
        "hpet",
    ),
    (clock_source, files(**{f"{CLOCK}/current_clocksource": "acpi_pm"}), "warning", "acpi_pm"),
    (clock_source, nothing, "not available here", "does not say"),
    (virtual_machine, files(**{"proc/cpuinfo": "flags : fpu sse2"}), "ok", "no"),
    (
        virtual_machine,
        files(**{"proc/cpuinfo": "flags : fpu hypervisor", "sys/class/dmi/id/product_name": "Box"}),
        "warning",
        "yes (Box)",
    ),
    (virtual_machine, nothing, "not available here", "lists no features"),
    (blas, openblas("SkylakeX", "avx2 avx512f"), "ok", "SkylakeX"),
    (blas, openblas("Zen", "avx2"), "ok", "Zen"),
    (blas, openblas("Prescott", "avx2 avx512f"), "warning", "does not use AVX512F"),
    (blas, openblas("Nehalem", "avx2"), "warning", "does not use AVX2"),
    (
        blas,
        lambda machine: machine.link("etc/alternatives/libblas.so.3", "usr/lib/blis/libblas.so.3"),
        "ok",
        "BLIS",
    ),
    (blas, blis("zen3", "avx2"), "ok", "zen3"),
    (blas, blis("generic", "avx2 avx512f"), "warning", "without AVX512F"),
    (blas, blis("generic", "avx2"), "warning", "without AVX2"),
    (blas, blis("generic", "sse2"), "ok", "generic"),
    (blas, blis("haswell", "avx2 avx512f", "Intel(R) Xeon(R) Processor"), "warning", "without AVX512F"),
    (blas, blis("haswell", "avx2 avx512f", "Intel(R) Xeon(R) Silver 4110"), "ok", "haswell"),
    (blas, blis("skx", "avx2 avx512f", "Intel(R) Xeon(R) Processor"), "ok", "skx"),
    (
        blas,
        lambda machine: machine.link("etc/alternatives/libblas.so.3", "usr/lib/blas/libblas.so.3"),
        "warning",
        "reference",
    ),
    (blas, nothing, "not available here", "no BLAS"),
    (
        mpi,
        programs(mpirun_openmpi=OPEN_MPI, mpirun_mpich=HYDRA),
        "ok",
        "openmpi 4.1.4, mpich 4.0.2; openmpi is used",
    ),
    (mpi, programs(mpirun="mpirun (Open MPI) 5.0.8\n"), "ok", "openmpi 5.0.8"),
    (mpi, programs(mpirun_mpich=HYDRA), "warning", "openmpi is missing; mpich is here"),
    (mpi, nothing, "warning", "none found"),
    (numa_balancing, files(**{"sys/devices/system/node/node0/cpulist": "0"}), "ok", "one memory node"),
    (
        numa_balancing,
        files(
            **{
                "sys/devices/system/node/node0/cpulist": "0",
                "sys/devices/system/node/node1/cpulist": "1",
                "proc/sys/kernel/numa_balancing": "1",
            }
        ),
        "warning",
        "2 memory nodes, pages are moved",
    ),
    (numa_balancing, nothing, "not available here", "no memory nodes"),
]


@pytest.mark.parametrize(("check", "prepare", "status", "found"), CASES)
def test_check(machine, check, prepare, status, found):
    prepare(machine)
    finding = check.check(machine)
    assert (finding.status, found in finding.found) == (status, True), finding
    if status == "warning":
        assert finding.what_to_do


def test_a_kernel_of_blis_is_named_by_its_number(machine):
    blis("generic", "avx2")(machine)
    assert "BLIS_ARCH_TYPE=1" in blas.check(machine).what_to_do


def test_unreadable_power_meters_say_how_to_open_them(machine):
    machine.file("sys/class/powercap/intel-rapl:0/energy_uj", "5").unreadable.add("energy_uj")
    finding = power.check(machine)
    assert finding.status == "not available here" and "sudo chmod" in finding.what_to_do


def test_forbidden_counters_name_the_kernel_setting(machine):
    machine.counter_error = errno.EACCES
    machine.file("proc/sys/kernel/perf_event_paranoid", "4")
    assert "perf_event_paranoid is 4" in counters.check(machine).found


def test_every_check_of_the_folder_is_found_and_tested():
    tested = {check.__name__.rpartition(".")[2] for check, *_ in CASES}
    statuses = {(check, status) for check, _, status, _ in CASES}
    assert set(find_checks()) == tested
    for check in {check for check, *_ in CASES}:
        assert (check, "ok") in statuses
        assert (check, "warning") in statuses or (check, "not available here") in statuses
    assert folder.__doc__


def test_a_diagnosis_puts_what_spoils_first_and_survives_a_broken_file(machine):
    machine.file("proc/meminfo", "MemTotal: many kB")
    results = diagnose(machine)
    ranks = [ORDER.index(result.finding.status) for result in results]
    assert ranks == sorted(ranks)
    (broken,) = [result for result in results if result.check == "swap"]
    assert broken.finding.status == "not available here" and "could not read" in broken.finding.found
