import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from hakaru.foretell.models.least_squares import non_negative


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(3, 8))
def test_agrees_with_lawson_and_hanson(seed, terms, count):
    generator = np.random.default_rng(seed)
    columns = generator.standard_normal((5, count, terms))
    columns /= np.linalg.norm(columns, axis=1, keepdims=True)
    wanted = generator.standard_normal((5, count))
    found = non_negative(columns, wanted)
    for matrix, right, ours in zip(columns, wanted, found, strict=True):
        reference, distance = nnls(matrix, right)
        assert (ours >= 0.0).all()
        if np.linalg.cond(matrix) < 1e3:
            assert np.linalg.norm(matrix @ ours - right) <= distance + 1e-7
            np.testing.assert_allclose(ours, reference, atol=1e-4)


def test_a_zero_column_gets_no_coefficient():
    columns = np.array([[1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(non_negative(columns, np.array([2.0, 2.0])), [2.0, 0.0])
