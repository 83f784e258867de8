"""What the product loads from by index: all of p where it is gathered, a rank's columns of it where vectors are summed."""

import pytest

from hakaru.facts import programs


@pytest.mark.parametrize(("communication", "of_rank"), [("allgather", 8.0 * 1400), ("paper", 8.0 * 350)])
def test_the_vector_is_told_beside_the_matrix(communication, of_rank):
    words = {"class": "S", "communication": communication}
    work = programs.named("cg").describe(words, ranks=4).evaluated
    product, vectors = work.phase("product"), work.phase("vectors")
    assert product.gathered_bytes == 4 * of_rank and product.indexed_bytes == product.bytes
    assert vectors.gathered_bytes == vectors.indexed_bytes == 0.0
