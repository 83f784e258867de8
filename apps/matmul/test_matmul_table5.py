"""The schedule at 64 processors against Table 5 of the AP1000+ paper (published/ap1000plus.toml, row MatMul)."""

import pytest
from communication import of_app


def test_schedule_has_the_published_counts():
    counted = of_app("matmul", 64, "n=300")
    assert counted.mean("get") == 64
    assert counted.message_bytes == 9600.0  # 4 rows of 300
    for absent in ("send", "put", "put of a stride", "get of a stride", "allreduce", "barrier", "broadcast"):
        assert counted.mean(absent) == 0, absent


def test_rows_that_are_left_over_are_in_no_message():
    """The reading of the published 9600 B: 300 = 64 x 4 + 44, and the 44 rows are held by every rank."""
    counted = of_app("matmul", 64, "n=300")
    assert counted.transfer_bytes == 64 * 64 * 4 * 300 * 8
    assert counted.transfer_bytes < 64 * 300 * 300 * 8


@pytest.mark.parametrize(("n", "ranks", "gets"), [(300, 1, 1), (300, 60, 60), (7, 8, 0)])
def test_counts_at_other_sizes(n, ranks, gets):
    counted = of_app("matmul", ranks, f"n={n}")
    assert counted.mean("get") == gets
    assert counted.message_bytes == (n // ranks) * n * 8
