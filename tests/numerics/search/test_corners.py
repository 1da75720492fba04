"""Corners of what lies above some lines: each lies there, and a bending function is least at one."""

import numpy as np
import pytest

from discretion.numerics.search.corners import corner_count, corners


def test_the_corners_above_two_lines_of_a_plane():
    found = corners(np.array([[1.0, 0.5], [0.5, 1.0]]))
    assert np.array(sorted(found.tolist())) == pytest.approx(np.array([[0, 2], [2 / 3, 2 / 3], [2, 0]]))


def test_the_corners_above_single_coordinates_and_their_mixture():
    assert corners(np.eye(3)).tolist() == [[1.0, 1.0, 1.0]]
    assert corners(np.array([[2.0, 1.0, 0.0]])).tolist() == [[0.5, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(("lines", "coordinates"), [(1, 4), (3, 3), (6, 2), (4, 5)])
def test_what_bends_downwards_is_nowhere_less_than_at_some_corner(lines, coordinates):
    rng = np.random.default_rng(0)
    for _ in range(10):
        above = rng.integers(0, 4, (lines, coordinates)) + np.eye(lines, coordinates)
        above[above.sum(axis=1) == 0, 0] = 1
        costs = rng.random((3, coordinates))
        found = corners(above)
        assert len(found) <= corner_count(lines, coordinates)
        assert (found @ above.T).min() >= 1 - 1e-8
        points = rng.dirichlet(np.full(coordinates, 0.5), size=500)
        reach = (points @ above.T).min(axis=1)
        points = points[reach > 0] / reach[reach > 0, None]
        assert (points @ costs.T).min() >= (found @ costs.T).min() - 1e-12
        assert (points @ costs.T).min(axis=1).min() >= (found @ costs.T).min(axis=1).min() - 1e-12
