"""openQCD gets the lattice that ours has, and the faster of its programs is the peer."""

import pytest

from hakaru.base.errors import UserError
from hakaru.base.files import load_module
from hakaru.own.bench import Interleaved
from hakaru.own.bench.runner import bench_folder

bench = load_module(bench_folder() / "lattice_qcd.py")


def test_openqcd_gets_one_process_of_the_lattice(tmp_path):
    (tmp_path / "include").mkdir()
    text = "#define NPROC0 2\n#define L0 8\n#define L3 8\n#define NPROC0_BLK 1\n#define NAME_SIZE 128\n"
    (tmp_path / "include" / "global.h").write_text(text)
    bench.header(tmp_path, 16, tmp_path)
    expected = "#define NPROC0 1\n#define L0 16\n#define L3 16\n#define NPROC0_BLK 1\n#define NAME_SIZE 128\n"
    assert (tmp_path / "global.h").read_text() == expected


def test_the_faster_program_of_a_round_is_the_peer():
    result = Interleaved({"ours": [4.0, 4.0], "avx": [1.0, 3.0], "avx512": [2.0, 1.0]})
    both = bench.against_the_faster(result, ["avx", "avx512"])
    assert both.samples == {"ours": [4.0, 4.0], "openqcd": [2.0, 3.0]}


def test_sources_that_do_not_compile_are_named(tmp_path):
    with pytest.raises(UserError, match="HAKARU_OPENQCD"):
        bench.called(["mpicc", tmp_path / "none.c", "-c"])


def test_without_sources_there_is_no_peer(tmp_path):
    assert bench.ways_of(tmp_path) == []
