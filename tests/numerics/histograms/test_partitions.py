"""Partitions are histograms up to the order of their outcomes."""

import math

import numpy as np
import pytest

from discretion.numerics.histograms.histograms import histograms
from discretion.numerics.histograms.partitions import log_multinomial, log_orders, partition_count, partitions


@pytest.mark.parametrize("n", range(9))
@pytest.mark.parametrize("parts", range(1, 6))
def test_each_histogram_is_one_of_them_in_falling_order(n, parts):
    found = partitions(n, parts)
    assert sorted(map(tuple, found.tolist())) == sorted(
        {tuple(sorted(h, reverse=True)) for h in histograms(n, parts).tolist()}
    )
    assert len(found) == partition_count(n, parts, 10**6)
    assert np.exp(log_orders(found)).sum() == pytest.approx(len(histograms(n, parts)))
    assert np.exp(log_orders(found) + log_multinomial(found)).sum() == pytest.approx(parts**n)


def test_each_stands_for_its_own_orders():
    found = partitions(4, 3)
    orders = {tuple(row): round(math.exp(log)) for row, log in zip(found.tolist(), log_orders(found), strict=True)}
    assert orders == {(4, 0, 0): 3, (3, 1, 0): 6, (2, 2, 0): 3, (2, 1, 1): 3}


@pytest.mark.parametrize(("n", "parts", "most"), [(10**9, 3, 1000), (500, 10, 1000), (1001, 1, 1000)])
def test_more_than_are_wanted_are_not_counted(n, parts, most):
    assert partition_count(n, parts, most) == most + 1


def test_the_number_of_all_partitions_of_a_hundred_is_known():
    assert partition_count(100, 100, 10**9) == 190_569_292
