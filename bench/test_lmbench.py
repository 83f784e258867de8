"""What LMbench's programs print is read as the figure that it is; what they do not print is none."""

import pytest

from hakaru.base.files import load_module
from hakaru.own.bench.runner import bench_folder

lines = load_module(bench_folder() / "_lmbench.py")
figure, peers = lines.figure, lines.peers


@pytest.mark.parametrize(
    ("item", "text", "value"),
    [
        ("null call", "Simple syscall: 0.0931 microseconds\n", 9.31e-8),
        ("null I/O", "Simple read: 0.2 microseconds\nSimple write: 0.1 microseconds\n", 1.5e-7),
        ("2p/16K ctxsw", '\n"size=16k ovr=0.50\n2 1.06\n', 1.06e-6),
        ("Pipe bandwidth", "Pipe bandwidth: 1676.50 MB/sec\n", 1.6765e9),
        ("10K File Delete", "10k\t512\t10000\t25000\n", 4e-5),
        ("intgr add", "integer bit: 0.34 nanoseconds\ninteger add: 0.17 nanoseconds\n", 1.7e-10),
        ("double bogo", "double bogomflops: 14.6 nanoseconds\n", 1.46e-8),
        ("Main mem", '"stride=128\n0.00049 1.2\n64.00000 98.5\n\n', 9.85e-8),
        ("Mem read", "64.00 3215.25\n", 3.21525e9),
    ],
)
def test_a_figure_is_read_in_si_units(item, text, value):
    assert figure(peers()[item], text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "Simple syscall: microseconds\n", "Simple syscall: 0.0 microseconds\n"])
def test_without_a_figure_there_is_none(text):
    assert figure(peers()["null call"], text) is None


def test_the_items_of_the_probe_have_a_peer():
    wanted = {
        "fork proc",
        "sig hndl",
        "Prot Fault",
        "Page Fault",
        "TCP conn",
        "96p/64K ctxsw",
        "Bcopy (libc)",
        "float mul",
    }
    assert wanted <= peers().keys()


def test_no_item_is_asked_for_that_the_probe_has_not():
    assert not {"float bit", "double mod", "intgr bogo", "int64 bogo"} & peers().keys()


def test_what_lmbench_asks_of_each_program_is_found_out_once(tmp_path):
    for name, text in (("timing_o", "0"), ("loop_o", "0.00003")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {text} >&2\n")
        program.chmod(0o755)
    assert lines.timing(tmp_path) == {"ENOUGH": "20000", "TIMING_O": "0", "LOOP_O": "0.00003"}
