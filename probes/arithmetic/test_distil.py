"""Facts from synthetic records of the probe ``arithmetic``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

CLOCK = 3e9


def record(identity: str = "r1", cores: int = 0, drift: float = 1.0, dgemm: float = 0.9) -> Record:
    """Two cores, 256 bits, 16 flop a cycle in double precision; sample i at (1 + i / 100) * drift * clock."""
    kernels, clock, latency, products = [], [], [], []
    for repetition in range(7):
        speed = CLOCK * (1 + repetition / 100) * drift
        clock.append([repetition, 1.0, speed])
        latency.append(["fma", "double", 64, repetition, 4.0 / speed * 1000, 1000])
        for count in (1, 2):
            products.append([1024 * count, count, repetition, 2.0, 2.0 * 16 * speed * count * dgemm])
            for bits in (64, 128, 256):
                kernels.append(
                    ["fma", "double", bits, count, repetition, 0.5, 0.5 * bits / 16 * speed * count]
                )
                kernels.append(
                    ["fma", "single", bits, count, repetition, 0.5, 0.5 * bits / 8 * speed * count]
                )
        kernels.append(["exponential", "double", 256, 1, repetition, 1.0, speed / 6])
    return probed(
        identity,
        table("kernels", "kernel precision bits cores repetition seconds operations", kernels),
        table("latency", "kernel precision bits repetition seconds operations", latency),
        table("clock", "repetition seconds cycles", clock),
        table("dgemm", "order cores repetition seconds operations", products),
        table("binding", "cores thread processor seen", [[1, 0, 0, 0], [2, 0, 0, 0], [2, 1, 1, 1]]),
        table("instructions", "set widest_bits chains", [["AVX2", 256, 12]]),
        table("blas", "library version kernel threads_can_be_set", [["libblis.so", "BLIS 0.9.0", "zen3", 1]]),
        table("findings", "finding", [] if dgemm > 0.6 else [["DGEMM is slow"]]),
        parameters={"cores": cores},
    )


def only(facts: list[dict], **keys) -> dict:
    (found,) = [fact for fact in facts if all(fact[name] == value for name, value in keys.items())]
    return found


def test_peak_is_the_fastest_width_in_double_precision():
    compute = distiller.distil([record()])["compute"]
    one, two = only(compute["fma_peak"], cores=1), only(compute["fma_peak"], cores=2)
    assert one["value"] == pytest.approx(16 * CLOCK * 1.03)
    assert one["bits"] == 256 and one["unit"] == "flop/s" and one["source"] == "probe r1"
    assert two["value"] == pytest.approx(2 * one["value"])
    assert one["low"] <= one["value"] <= one["high"]


def test_efficiency_and_flops_per_cycle_are_ratios_within_a_repetition():
    """The clock drifts by a tenth between the records, which a ratio of medians would show."""
    compute = distiller.distil([record("r1"), record("r2", drift=0.9)])["compute"]
    efficiency = only(compute["dgemm_efficiency"], cores=2)
    assert efficiency["value"] == pytest.approx(0.9)
    assert efficiency["low"] == pytest.approx(0.9) and efficiency["high"] == pytest.approx(0.9)
    assert only(compute["flops_per_cycle"], precision="double")["value"] == pytest.approx(16.0)
    assert only(compute["flops_per_cycle"], precision="single")["low"] == pytest.approx(32.0)


def test_kernels_and_latencies_keep_their_keys_and_units():
    compute = distiller.distil([record()])["compute"]
    assert len(compute["kernels"]) == 13
    assert only(compute["kernels"], kernel="exponential")["unit"] == "1/s"
    assert only(compute["kernels"], kernel="fma", precision="single", bits=128, cores=1)["unit"] == "flop/s"
    assert only(compute["latency"], kernel="fma")["value"] == pytest.approx(4.0 / (CLOCK * 1.03))


def test_processor():
    processor = distiller.distil([record()])["processor"]
    assert processor["clock"]["value"] == pytest.approx(CLOCK * 1.03) and processor["clock"]["unit"] == "Hz"
    assert processor["simd_bits"]["value"] == 256
    assert processor["instruction_set"]["value"] == "AVX2"
    assert processor["cores"]["value"] == 2


def test_a_limited_run_does_not_count_the_cores():
    assert "cores" not in distiller.distil([record(cores=1)])["processor"]


def test_findings_are_carried_over():
    assert "findings" not in distiller.distil([record()])["compute"]
    (finding,) = distiller.distil([record("r9", dgemm=0.3)])["compute"]["findings"]
    assert finding["value"] == "DGEMM is slow" and finding["source"] == "probe r9"


def test_failed_records_and_verifications_give_nothing():
    assert distiller.distil([changed(record(), status="failed"), changed(record(), command="verify")]) == {}


def test_the_machine_file_accepts_it():
    from hakaru.facts import machines

    head = {"schema": "hakaru/machine/1", "name": "synthetic", "kind": "measured", "date": "2026-11-21"}
    machines.validate({**head, **distiller.distil([record(dgemm=0.3)])})
