import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import Placement, placement


def machine(name):
    return Machine.load(known_machines()[name])


def test_a_phase_bound_by_memory_scales_with_the_bandwidth_and_one_by_arithmetic_with_the_peak():
    work = {"copy": {"flops": 1.0, "bytes": 1e3}, "multiply": {"flops": 1e6, "bytes": 1.0}}
    slow, fast = compute.Rates(1e9, 1e9, False), compute.Rates(4e9, 2e9, False)
    factors, together = compute.roofline_factors(work, slow, fast)
    assert factors == {"copy": 0.5, "multiply": 0.25}
    assert 0.25 < together < 0.5


def test_write_allocate_counts_where_the_bandwidth_counts_it():
    work = {"copy": {"flops": 0.0, "bytes": 100.0, "bytes_write_allocate": 150.0}}
    counted, plain = compute.Rates(1.0, 100.0, True), compute.Rates(1.0, 100.0, False)
    assert compute.roofline_factors(work, plain, counted)[0]["copy"] == pytest.approx(1.5)


def test_a_rank_gets_its_share_of_the_node():
    told = Told()
    fx1 = machine("fx1")
    found = compute.rates(fx1, placement(fx1, 1, None, told), 64, told)
    assert (found.flops_per_s, found.bytes_per_s) == (38.239e9 / 4, 10e9)
    assert {"compute.dgemm", "memory.bandwidth_peak"} <= {fact.fact for fact in told.facts}


def test_a_count_of_cores_that_was_not_measured_is_told():
    told = Told()
    compute.rates(machine("fat-tree-100g"), Placement(44, 22, None, 1, 44), 4, told)
    assert "the memory bandwidth of 4 cores is that of 44" in told.assumed


def test_a_machine_without_bandwidth_names_the_fact():
    lacking = machine("fx1").with_facts("memory.bandwidth_peak", None)
    with pytest.raises(UserError, match="does not say memory.bandwidth.*--compute-factor"):
        compute.rates(lacking, Placement(4, 4, None, 1, 4), 4, Told())


def test_measured_kernels_are_compared_alike():
    told = Told()
    factor = compute.kernel_factor("himeno M", machine("hx600"), machine("fx1"), told)
    assert factor == pytest.approx(476 / 1648)
    with pytest.raises(UserError, match="kernels there: .*himeno M.*linpack"):
        compute.kernel_factor("fft", machine("hx600"), machine("fx1"), told)


def test_phases_get_factors_or_kernels():
    words = ["stencil=0.5", "solve=kernel:himeno M"]
    found = compute.phase_factors(words, machine("hx600"), machine("fx1"), Told())
    assert found == {"stencil": 0.5, "solve": pytest.approx(476 / 1648)}


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("stencil", "gets a factor"),
        ("stencil=fast", "no factor"),
        ("stencil=-1", "no factor"),
        ("a=kernel:x", "--from"),
    ],
)
def test_wrong_phases_are_refused_in_words(word, why):
    with pytest.raises(UserError, match=why):
        compute.phase_factors([word], None, machine("fx1"), Told())
